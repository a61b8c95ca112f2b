// Vectors as they are stored: 32-bit floats, the lowest byte first.

export const toBytes = (vector: Float32Array): Buffer => {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4)
  return bytes
}

export const fromBytes = (bytes: Buffer): Float32Array => {
  const vector = new Float32Array(bytes.length / 4)
  for (let at = 0; at < vector.length; at++) vector[at] = bytes.readFloatLE(at * 4)
  return vector
}

/** Of two vectors of length 1 and the same model. `many` may have several in a row, each from a start. */
export const cosine = (one: Float32Array, many: Float32Array, start = 0): number => {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += one[at]! * many[start + at]!
  return sum
}
