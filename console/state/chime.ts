/** Tabs that are in front have time to say that nobody needs to hear it. */
const BEHIND_MS = 150
const SILENT_AFTER_MS = 1_500
const LOCK = 'foyer.chime'

const NOTES = [
  { hertz: 659.25, at: 0 },
  { hertz: 987.77, at: 0.11 },
]
const VOLUME = 0.12
const LENGTH_SECONDS = 0.45

/** Two soft notes. Browsers allow it once the person has used the page. */
const play = (): void => {
  const audio = new AudioContext()
  for (const { hertz, at } of NOTES) {
    const start = audio.currentTime + at
    const tone = new OscillatorNode(audio, { type: 'sine', frequency: hertz })
    const volume = new GainNode(audio, { gain: 0 })
    volume.gain.setValueAtTime(0, start)
    volume.gain.linearRampToValueAtTime(VOLUME, start + 0.015)
    volume.gain.exponentialRampToValueAtTime(0.0001, start + LENGTH_SECONDS)
    tone.connect(volume).connect(audio.destination)
    tone.start(start)
    tone.stop(start + LENGTH_SECONDS)
  }
  setTimeout(() => void audio.close(), 1_000)
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Once for all tabs, and not while one of them is in front. */
export const chime = async (): Promise<void> => {
  if (!document.hasFocus()) await wait(BEHIND_MS)
  await navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => {
    if (!lock) return
    if (!document.hasFocus()) play()
    await wait(SILENT_AFTER_MS)
  })
}
