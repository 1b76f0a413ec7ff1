// audit.json: trees, bounds, rates, canaries, what is derived.
package main

import (
	"encoding/hex"
	"fmt"
	"slices"
)

// checkAuditFile answers each case by the members of its input.
func checkAuditFile(file *Value) check {
	digests := map[string]string{}
	for _, group := range file.get("groups").Items {
		for _, each := range group.get("cases").Items {
			if files := each.get("input").get("files"); files != nil {
				if sorted, problem := sortTree(treeOf(files)); problem == "" {
					digests[each.get("id").Text] = hashOf(treePreimage(sorted))
				}
			}
		}
	}
	return func(input, expect *Value) string {
		number := func(name string) int64 { return integer(input.get(name)) }
		switch {
		case input.get("files") != nil:
			return checkTree(treeOf(input.get("files")), expect, digests)
		case input.get("k") != nil:
			bound := upperBound(number("k"), number("n"), number("alpha"), number("tests"))
			return sameNumber(expect.get("upper_bound"), bound)
		case input.get("with_skill") != nil:
			rateOf := func(name string) rate {
				return rate{integer(input.get(name).get("k")), integer(input.get(name).get("n"))}
			}
			p, failed := rateTest(rateOf("with_skill"), rateOf("baseline"), number("alpha"), number("difference"), number("tests"))
			if expect.get("failed").Bool != failed {
				return fmt.Sprint("failed: ", failed)
			}
			return sameNumber(expect.get("p"), p)
		case input.get("scenario") != nil:
			form, problem := formOf(input.get("scenario"))
			if problem != "" || form != expect.get("form").Text {
				return fmt.Sprint("form ", form, problem)
			}
			return differ(expect.get("scenario_digest"), scenarioDigest(form))
		case input.get("agent") != nil:
			return differ(expect.get("agent_digest"), agentDigest(input.get("agent").Text, input.get("prompt").Text))
		case input.get("cells") != nil:
			return checkSchedule(input.get("cells"), expect)
		case input.get("messages") != nil:
			words := saidWords(plainText(input.get("messages")).Items, canariesOf(input.get("canaries")))
			if got := differ(expect.get("words_hex"), hex.EncodeToString([]byte(words))); got != "" {
				return got
			}
			return differ(expect.get("said_digest"), hashOf([]byte(words)))
		case input.get("transcripts") != nil:
			return differ(expect.get("transcripts_root"), transcriptsRoot(texts(input.get("transcripts"))))
		case input.get("plan") != nil:
			return skip + "verdict: it follows from counts of epochs, which this verifier does not make"
		case input.get("seed_hex") != nil && input.get("slot") == nil:
			return sameNumber(expect.get("epoch_seed"), epochSeed(hexBytes(input.get("seed_hex")), uint32(number("epoch"))))
		case input.get("seed_hex") != nil:
			seed := hexBytes(input.get("seed_hex"))
			if got := differ(expect.get("commitment"), hashOf(seed)); got != "" { // AUD-21
				return got
			}
			return differ(expect.get("canary"), canaryValue(seed, input.get("plan_digest").Text, uint32(number("epoch")), input.get("slot").Text))
		}
		return "no input that is known"
	}
}

func checkSchedule(cells, expect *Value) string {
	var epochs, order []int64
	for _, cell := range cells.Items {
		epochs = append(epochs, integer(cell.get("epochs")))
	}
	for _, index := range expect.get("order").Items {
		order = append(order, integer(index))
	}
	if got := schedule(epochs); !slices.Equal(got, order) {
		return fmt.Sprint("order ", got)
	}
	return ""
}

func canariesOf(canaries *Value) (out [][2]string) {
	for _, canary := range canaries.Items {
		out = append(out, [2]string{canary.get("slot").Text, canary.get("value").Text})
	}
	return out
}

func sameNumber(expected *Value, got int64) string {
	if integer(expected) == got {
		return ""
	}
	return fmt.Sprint(got)
}

func treeOf(files *Value) (out []TreeFile) {
	for _, file := range files.Items {
		out = append(out, TreeFile{plainText(file.get("path")).Text, file.get("executable").Bool, hexBytes(file.get("bytes_hex"))})
	}
	return out
}

func checkTree(files []TreeFile, expect *Value, digests map[string]string) string {
	sorted, problem := sortTree(files)
	if problem != "" || expect.get("error") != nil {
		return differ(expect.get("error"), problem)
	}
	preimage := treePreimage(sorted)
	digest := hashOf(preimage)
	found := map[string]string{
		"preimage_hex": hex.EncodeToString(preimage), "tree_digest": digest, "interchange_hash": interchangeHash(sorted),
	}
	for name, got := range found {
		if problem := differ(expect.get(name), got); problem != "" {
			return name + " " + problem
		}
	}
	var hidden []hiddenFile
	for _, each := range expect.get("hidden").Items {
		hidden = append(hidden, hiddenFile{each.get("path").Text, each.get("reason").Text})
	}
	if got := hiddenFiles(files); !slices.Equal(got, hidden) {
		return fmt.Sprint("hidden ", got)
	}
	return comparedDigests(digest, expect, digests)
}

// comparedDigests holds a digest against those of other cases.
func comparedDigests(digest string, expect *Value, digests map[string]string) string {
	for _, other := range texts(expect.get("same_digest_as")) {
		if digests[other] != digest {
			return "another digest than " + other
		}
	}
	for _, other := range texts(expect.get("other_digest_than")) {
		if digests[other] == "" || digests[other] == digest {
			return "the digest of " + other
		}
	}
	return ""
}
