// Trees of files (spec/audit.md, The tree): one digest over every path, mode bit and byte.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// TreeFile is one file of a tree.
type TreeFile struct {
	Path       string
	Executable bool
	Bytes      []byte
}

const (
	maxTreeFiles     = 10000
	maxTreeFileBytes = 16 << 20
	maxTreeBytes     = 64 << 20
	maxTreePath      = 1024
)

// sortTree gives the files in the order of the UTF-8 bytes of their paths, or the code with which they are no tree (AUD-12).
func sortTree(files []TreeFile) ([]TreeFile, code) {
	switch {
	case len(files) == 0:
		return nil, "tree-empty"
	case len(files) > maxTreeFiles:
		return nil, "limit"
	}
	total := 0
	paths := map[string]bool{}
	for _, file := range files {
		if problem := checkTreePath(file.Path); problem != "" {
			return nil, problem
		}
		if total += len(file.Bytes); len(file.Bytes) > maxTreeFileBytes || total > maxTreeBytes {
			return nil, "limit"
		}
		paths[file.Path] = true
	}
	if len(paths) < len(files) { // two at one path
		return nil, "tree-path"
	}
	for path := range paths {
		if slices.ContainsFunc(foldersOf(path), func(folder string) bool { return paths[folder] }) {
			return nil, "tree-path"
		}
	}
	sorted := slices.Clone(files)
	slices.SortFunc(sorted, func(a, b TreeFile) int { return strings.Compare(a.Path, b.Path) })
	return sorted, ""
}

// checkTreePath: relative, in its one spelling, nothing in it that would mislead whoever reads it (AUD-12).
func checkTreePath(path string) code {
	if !utf8.ValidString(path) {
		return "lone-surrogate"
	}
	if len(path) > maxTreePath {
		return "limit"
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return "tree-path"
		}
	}
	for _, c := range path {
		separator := c == 0x2028 || c == 0x2029
		if c == '\\' || separator || checkName(string(c)) != "" {
			return "tree-path"
		}
	}
	return ""
}

// foldersOf are the folders above a path, the nearest last.
func foldersOf(path string) (out []string) {
	for i, c := range []byte(path) {
		if c == '/' {
			out = append(out, path[:i])
		}
	}
	return out
}

// treePreimage is what the digest of a sorted tree hashes (AUD-10, AUD-11).
func treePreimage(sorted []TreeFile) []byte {
	out := field(nil, "ruleprint/tree-digest/1")
	out = binary.BigEndian.AppendUint32(out, uint32(len(sorted)))
	for _, file := range sorted {
		mode := "file"
		if file.Executable {
			mode = "executable"
		}
		sum := sha256.Sum256(file.Bytes)
		out = append(fieldAll(out, file.Path, mode), sum[:]...)
	}
	return out
}

// interchangeHash is the tree_hash of AbstractSkill (AUD-16).
func interchangeHash(sorted []TreeFile) string {
	var out []byte
	for _, file := range sorted {
		name := file.Path[strings.LastIndexByte(file.Path, '/')+1:]
		if slices.Contains([]string{".DS_Store", "Thumbs.db", "desktop.ini"}, name) {
			continue
		}
		out = binary.BigEndian.AppendUint64(out, uint64(len(file.Path)))
		sum := sha256.Sum256(file.Bytes)
		out = append(append(out, file.Path...), sum[:]...)
	}
	sum := sha256.Sum256(out)
	return hex.EncodeToString(sum[:])
}
