/** JSON that jsonb takes, of a value that somebody else made: without U+0000, and with U+FFFD for half surrogate pairs. */
export const storableJson = (value: unknown): string =>
  // JSON.stringify escapes both; a backslash of the text itself comes as two.
  JSON.stringify(value).replace(/\\(?:(u0000)|(ud[89a-f][0-9a-f]{2})|.)/g, (sequence, zero, half) => {
    if (zero) return ''
    return half ? '\ufffd' : sequence
  })
