# ranger's side of a race of forests, called by forest_libraries.py. It measures as peer.py does:
# one small fit first, memory from what is held once the rows are read to the most held while
# fitting, the best of three predictions of all rows, the mean of many predictions of one.
#
#   Rscript forest_ranger.R TRAIN ROWS TEST ROWS COLUMNS PREDICTIONS
#       TREES FEATURES SPLIT CLASSES THREADS SEED

suppressPackageStartupMessages(library(ranger))
words <- commandArgs(trailingOnly = TRUE)
numbers <- suppressWarnings(as.numeric(words))
columns <- numbers[5]
trees <- numbers[7]
split <- words[9]
classes <- numbers[10]
threads <- numbers[11]

read <- function(file, rows) {
  connection <- file(file, "rb")
  on.exit(close(connection))
  x <- matrix(readBin(connection, "double", rows * columns, endian = "little"), rows, columns)
  colnames(x) <- paste0("x", seq_len(columns) - 1)
  y <- readBin(connection, "double", rows, endian = "little")
  list(x = x, y = if (classes > 0) factor(y) else y)
}

fit <- function(x, y) {
  ranger(
    x = x, y = y, num.trees = trees, mtry = numbers[8], splitrule = split,
    num.random.splits = 1, probability = classes > 0, min.node.size = 1,
    replace = split != "extratrees", sample.fraction = 1, oob.error = FALSE,
    num.threads = threads, seed = numbers[12] + 1, verbose = FALSE
  )
}

predicted <- function(model, x, threads) {
  predict(model, x, num.threads = threads, verbose = FALSE)$predictions
}

seconds <- function(work) {
  start <- Sys.time()
  force(work)
  as.numeric(difftime(Sys.time(), start, units = "secs"))
}

status <- function(key) {
  line <- grep(key, readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) * 1024
}

one_row <- function(model, x) {
  count <- min(nrow(x), 1000)
  rows <- lapply(seq_len(count), function(i) x[(i - 1) * (nrow(x) %/% count) + 1, , drop = FALSE])
  calls <- 0
  start <- Sys.time()
  repeat {
    predicted(model, rows[[calls %% count + 1]], 1)
    calls <- calls + 1
    passed <- as.numeric(difftime(Sys.time(), start, units = "secs"))
    if (calls >= 50 * count || passed > 2) return(1e9 * passed / calls)
  }
}

train <- read(words[1], numbers[2])
few <- seq_len(min(numbers[2], 1000))
invisible(fit(train$x[few, , drop = FALSE], droplevels(as.data.frame(train$y[few]))[[1]]))
invisible(gc())

loaded <- status("VmRSS:")
cat("5", file = "/proc/self/clear_refs")
fitting <- seconds(model <- fit(train$x, train$y))
peak <- status("VmHWM:")

names <- if (classes > 0) levels(train$y) else NULL
leaves <- sum(sapply(model$forest$child.nodeIDs, function(ids) sum(ids[[1]] == 0)))
model_bytes <- as.numeric(object.size(model$forest))
file_bytes <- length(serialize(model, NULL))
rm(train)
test <- read(words[3], numbers[4])
times <- sapply(1:3, function(i) seconds(found <<- predicted(model, test$x, threads)))
connection <- file(words[6], "wb")
writeBin(as.vector(if (is.matrix(found)) t(found) else found), connection, endian = "little")
close(connection)

number <- function(name, value) sprintf("\"%s\": %.12g", name, value)
fields <- c(
  sprintf("\"version\": \"%s\"", packageVersion("ranger")),
  number("trees", trees), number("leaves", leaves), number("fit", fitting),
  number("memory_loaded", loaded), number("memory_peak", peak),
  number("model_bytes", model_bytes), number("file_bytes", file_bytes),
  number("predict_rows", nrow(test$x)), number("predict_seconds", min(times)),
  number("row_nanoseconds", one_row(model, test$x))
)
if (classes > 0) {
  fields <- c(fields, sprintf("\"classes\": [%s]", paste0("\"", names, "\"", collapse = ", ")))
}
cat("{", paste(fields, collapse = ", "), "}\n", sep = "")
