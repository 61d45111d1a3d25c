package analysis

import (
	"bytes"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
)

// Add writes a world's line and decides about its history; it also removes the
// histories that this world makes superfluous.
func (d *ResultDir) Add(w World) error {
	err := d.worlds.add(lineOf(w))
	_, drop := d.retention.Offer(w)
	for _, k := range drop {
		if d.kept[k] {
			delete(d.kept, k)
			err = errors.Join(err, removeIfThere(d.File(historyFile(k))))
		}
	}
	return d.note(err)
}

// Wants reports whether the history of a world that was added is to be kept and
// is not on disk yet.
func (d *ResultDir) Wants(w World) bool {
	k := HistoryKey{w.SpecVersion, w.Seed}
	return w.Arm == ArmTarget && !d.kept[k] && d.retention.Wants(k)
}

// Missing lists the histories that are to be kept and are not on disk yet. At
// the end of a run it is what remains to be fetched.
func (d *ResultDir) Missing() []HistoryKey {
	return slices.DeleteFunc(d.retention.Wanted(), func(k HistoryKey) bool { return d.kept[k] })
}

// KeepHistory writes a world's encoded history, unless it is not wanted any
// more. It is compressed here if it is not yet.
func (d *ResultDir) KeepHistory(k HistoryKey, encoded []byte) error {
	if !d.retention.Wants(k) {
		return nil
	}
	err := writeWhole(d.File(historyFile(k)), d.create, func(w io.Writer) error {
		return zipInto(w, encoded)
	})
	if err == nil {
		d.kept[k] = true
	}
	return d.note(err)
}

func historyFile(k HistoryKey) string {
	return path.Join(HistoriesDir, k.SpecVersion, strconv.FormatUint(k.Seed, 10)+".ndjson.zst")
}

// zstdMagic begins every zstd frame.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

func zipInto(w io.Writer, data []byte) error {
	if bytes.HasPrefix(data, zstdMagic) {
		_, err := w.Write(data)
		return err
	}
	zip, err := newZip(w)
	if err != nil {
		return err
	}
	if _, err := zip.Write(data); err != nil {
		return errors.Join(err, zip.Close())
	}
	return zip.Close()
}
