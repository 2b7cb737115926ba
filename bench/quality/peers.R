#!/usr/bin/env Rscript
# peers.R METHOD[,METHOD...] < MATRICES > CALLED: what limma and edgeR say of the samples that data.py makes.
#
#   limma   lmFit and eBayes with a trend, on the counts themselves
#   voom    voom, lmFit and eBayes
#   edger   estimateDisp, glmQLFit and glmQLFTest
#
# MATRICES has a line for each repetition: repetition, level, runs before and after, keys, separated by tabs, then the counts,
# key by key, the runs before first. CALLED: repetition, method, the numbers of the keys that are called at 0.05 by Benjamini
# and Hochberg. All libraries have the same size, for the work of a run is fixed.
suppressMessages({
	library(limma)
	library(edgeR)
})

p_values <- function(method, counts, group) {
	design <- model.matrix(~ group)
	sizes <- rep(mean(colSums(counts)), ncol(counts))
	if (method == "edger") {
		fitted <- glmQLFit(estimateDisp(DGEList(counts, lib.size = sizes), design), design)
		return(glmQLFTest(fitted, coef = 2)$table$PValue)
	}
	values <- if (method == "voom") voom(counts, design, lib.size = sizes) else counts
	eBayes(lmFit(values, design), trend = method == "limma")$p.value[, 2]
}

methods <- strsplit(commandArgs(trailingOnly = TRUE)[1], ",")[[1]]
input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) > 0) {
	fields <- strsplit(line, "\t")[[1]]
	runs <- as.integer(fields[3:4])
	counts <- matrix(as.numeric(strsplit(fields[6], " ")[[1]]), nrow = as.integer(fields[5]), byrow = TRUE)
	group <- factor(rep(1:2, runs))
	present <- which(rowSums(counts) > 0)
	for (method in methods) {
		p <- p_values(method, counts[present, , drop = FALSE], group)
		called <- present[which(p.adjust(p, "BH") <= 0.05)]
		cat(fields[1], "\t", method, "\t", paste(called, collapse = " "), "\n", sep = "")
	}
}
