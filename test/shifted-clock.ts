// Loaded before a Foyer process (`node --import`): shifts its clock by CLOCK_SHIFT_MS, like one that is never
// synchronised.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0)
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...given: unknown[]) {
    // A Date takes many arguments, and only without any is it the current time.
    super(...((given.length === 0 ? [RealDate.now() + shiftMs] : given) as [number]))
  }
  static override now(): number {
    return RealDate.now() + shiftMs
  }
} as DateConstructor
