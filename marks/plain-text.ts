// Text without case and accents, for comparing what people type with what is stored.

const ACCENTS = /[\u0300-\u036f]/g

/** The same as plain_text() in the database. */
export const plainText = (text: string): string =>
  text.normalize('NFC').toLowerCase().normalize('NFD').replaceAll(ACCENTS, '').replaceAll('ß', 'ss')
