const encoder = new TextEncoder()

/** Bytes of a value as JSON in UTF-8. */
export const jsonBytes = (value: unknown): number => encoder.encode(JSON.stringify(value)).length

export const isJsonWithin = (value: unknown, bytesMax: number): boolean => {
  const text = JSON.stringify(value) ?? ''
  // A UTF-16 unit is at most three bytes, so most values need no counting.
  return text.length * 3 <= bytesMax || encoder.encode(text).length <= bytesMax
}
