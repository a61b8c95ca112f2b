const ID_LENGTH = 24

/** Chosen here, so that saving again after a lost response doesn't make a second one. */
export const newId = (): string =>
  `c${[...crypto.getRandomValues(new Uint8Array(ID_LENGTH))].map((byte) => (byte % 36).toString(36)).join('')}`
