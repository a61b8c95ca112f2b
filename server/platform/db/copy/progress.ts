const SAY_EVERY_MS = 5_000

/** Passes on a line now and then; copying a small database says nothing. */
export const makeProgress = (say: (line: string) => void): ((line: string) => void) => {
  let saidMs = performance.now()
  return (line) => {
    if (performance.now() - saidMs < SAY_EVERY_MS) return
    saidMs = performance.now()
    say(line)
  }
}
