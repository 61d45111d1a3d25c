// Empty: it lets a function of this package be declared without a body.
