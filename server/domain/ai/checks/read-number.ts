/** What a number as it is written may mean: 1.200 is twelve hundred or one and a fifth, depending on who wrote it. */
export const readNumber = (word: string): number[] => {
  const digits = word.replace(/['’_]/g, '')
  if (/^\d{1,15}$/.test(digits)) return [Number(digits)]
  if (!/^\d{1,15}([.,]\d{1,15}){1,5}$/.test(digits)) return []
  const marks = digits.replace(/\d/g, '')
  const last = marks.at(-1)!
  const decimal = (): number => {
    const at = digits.lastIndexOf(last)
    return Number(`${digits.slice(0, at).replace(/[.,]/g, '')}.${digits.slice(at + 1)}`)
  }
  const whole = (): number => Number(digits.replace(/[.,]/g, ''))
  if (new Set(marks).size > 1) return [decimal()]
  if (marks.length > 1) return [whole()]
  return /[.,]\d{3}$/.test(digits) ? [whole(), decimal()] : [decimal()]
}
