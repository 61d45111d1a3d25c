package sim

// A Table is a list of rows that is read from YAML as strictly as a scenario is,
// for other files that people write by hand.
type Table struct {
	Columns []Column
	Example string // one row, in YAML: "- {rule: RESP-ONCE}"
	Purpose string // what the file is, for the complaint that it is empty: "expected failures"
}

// A Column is a key that a row may have. Its values are text.
type Column struct {
	Name     string
	Example  string
	Required bool
}

// A Cell is one value, and where it stands in the file.
type Cell struct {
	Text         string
	Line, Column int
}

// A Row has a cell for each column that it gives a text to.
type Row struct {
	Line, Column int
	Cells        map[string]Cell
}

// Read reads a file. The faults are everything that is wrong with its form; the
// rows that could be read come with them, so that what they say can be checked as
// well. [NewFaults] makes one error of both.
func (t Table) Read(data []byte) ([]Row, []Fault) {
	root, faults := readTree(data, format{
		empty:  "write [] where there are no " + t.Purpose,
		syntax: "write a list, such as " + t.Example,
		second: "write one list, without ---",
	})
	if root == nil {
		return nil, faults
	}
	d := &decoder{places: map[string]*node{}}
	var rows []Row
	d.list(root, "", t.Example, func(n *node, path string) { rows = append(rows, t.row(d, n, path)) })
	return rows, d.faults
}

func (t Table) row(d *decoder, n *node, path string) Row {
	row := Row{Line: n.line, Column: n.column, Cells: map[string]Cell{}}
	keys := make([]key, len(t.Columns))
	for i, c := range t.Columns {
		keys[i] = key{name: c.Name, read: func(n *node, path string) {
			var text string
			d.text(&text, c.Example)(n, path)
			if n.kind == aText {
				row.Cells[c.Name] = Cell{text, n.line, n.column}
			}
		}}
		if c.Required {
			keys[i].required = c.Example
		}
	}
	d.mapping(n, path, keys...)
	return row
}

// NewFaults makes an error of what is wrong with a file, in the order of the file;
// nil if nothing is.
func NewFaults(name string, faults []Fault) error { return faulty(name, faults) }

// Nearest returns the legal word that somebody probably meant, or nothing when
// none looks like it.
func Nearest(word string, legal []string) string { return nearest(word, legal) }
