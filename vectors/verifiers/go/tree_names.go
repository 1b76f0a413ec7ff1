// Names that hide (spec/audit.md, AUD-14 and AUD-15).
package main

import (
	"slices"
	"strings"
)

// hiddenFile is a file that is named, with the reason.
type hiddenFile struct{ path, reason string }

// junkNames are those that systems leave behind, in lower case.
var junkNames = []string{
	".ds_store", "thumbs.db", "desktop.ini", ".localized", ".spotlight-v100", ".trashes", ".fseventsd", "__macosx", ".git", ".svn", ".hg",
}

func isJunk(name string) bool {
	lower := strings.ToLower(name)
	return slices.Contains(junkNames, lower) || strings.HasPrefix(lower, "._")
}

// hiddenFiles are the files whose name hides them, or is for some reader the name of another, in the order given.
func hiddenFiles(files []TreeFile) (out []hiddenFile) {
	spellings := map[string]map[string]bool{}
	names := func(path string) []string { return append(foldersOf(path), path) }
	for _, file := range files {
		for _, name := range names(file.Path) {
			key := seenAs(name)
			if spellings[key] == nil {
				spellings[key] = map[string]bool{}
			}
			spellings[key][name] = true
		}
	}
	collides := func(name string) bool { return len(spellings[seenAs(name)]) > 1 }
	for _, file := range files {
		switch {
		case slices.ContainsFunc(strings.Split(file.Path, "/"), isJunk):
			out = append(out, hiddenFile{file.Path, "junk-name"})
		case slices.ContainsFunc(names(file.Path), collides):
			out = append(out, hiddenFile{file.Path, "name-collides"})
		}
	}
	return out
}

// seenAs is what a name is on volumes that ignore case or normalise, and for an eye. The standard library has no tables
// of NFKC: letters of Latin with one mark and full-width ASCII are put together here, and nothing else is.
func seenAs(name string) string {
	// the one letter whose lower case is two characters, which the library cuts
	lower := strings.ToLower(strings.ReplaceAll(composed(name), "\u0130", "i\u0307"))
	return composed(strings.Map(func(c rune) rune {
		if slices.ContainsFunc(noPlace, func(r [2]rune) bool { return r[0] <= c && c <= r[1] }) {
			return -1
		}
		if c == 'ς' { // at the end of a word
			return 'σ'
		}
		return c
	}, lower))
}

// noPlace are the ranges of characters that take no place: format characters, joiners, fillers, selectors, tags, and marks
// that combine with what stands before.
var noPlace = [][2]rune{
	{0xad, 0xad}, {0x300, 0x36f}, {0x483, 0x489}, {0x61c, 0x61c}, {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f},
	{0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20ff}, {0x3164, 0x3164},
	{0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3},
	{0x1d165, 0x1d182}, {0xe0000, 0xe0fff},
}

// composed puts a letter and the mark behind it together, and writes full-width ASCII as ASCII.
func composed(text string) string {
	var out []rune
	for _, c := range text {
		if c >= 0xff01 && c <= 0xff5e {
			c -= 0xff01 - '!'
		}
		if last := len(out) - 1; last >= 0 && compositions[[2]rune{out[last], c}] != 0 {
			out[last] = compositions[[2]rune{out[last], c}]
			continue
		}
		out = append(out, c)
	}
	return string(out)
}

// compositions gives the letter for a letter and a mark: Latin-1 and Latin Extended-A, whole.
var compositions = func() map[[2]rune]rune {
	out := map[[2]rune]rune{}
	for mark, pairs := range map[rune]string{
		0x300: "AÀEÈIÌOÒUÙaàeèiìoòuù",
		0x301: "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzź",
		0x302: "AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷ",
		0x303: "AÃNÑOÕaãnñoõIĨiĩUŨuũ",
		0x304: "AĀaāEĒeēIĪiīOŌoōUŪuū",
		0x306: "AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭ",
		0x307: "CĊcċEĖeėGĠgġIİZŻzż",
		0x308: "AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸ",
		0x30a: "AÅaåUŮuů",
		0x30b: "OŐoőUŰuű",
		0x30c: "CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzž",
		0x327: "CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţ",
		0x328: "AĄaąEĘeęIĮiįUŲuų",
	} {
		letters := []rune(pairs)
		for i := 0; i < len(letters); i += 2 {
			out[[2]rune{letters[i], mark}] = letters[i+1]
		}
	}
	return out
}()
