//go:build !unix

package main

func limitCPU(uint64) error { return nil }
