// A short sound for a reply, off until the visitor turns it on. It is made rather than loaded.
const noteSeconds = 0.14
const volume = 0.08

/** Two notes, the second higher. Silent where the browser has no sound, or doesn't allow it. */
export const playSound = (): void => {
  try {
    const context = new AudioContext()
    const gain = context.createGain()
    gain.connect(context.destination)
    const start = context.currentTime
    for (const [index, frequency] of [660, 880].entries()) {
      const note = context.createOscillator()
      note.frequency.value = frequency
      note.connect(gain)
      note.start(start + index * noteSeconds)
      note.stop(start + (index + 1) * noteSeconds)
    }
    gain.gain.setValueAtTime(volume, start)
    gain.gain.exponentialRampToValueAtTime(0.001, start + 2 * noteSeconds)
    setTimeout(() => void context.close(), 1_000)
  } catch {
    // The badge and the teaser say it, too.
  }
}
