import { isBlank } from '../../../flow-engine/fold-text.ts'

// Joiners are part of the spelling of many names and of emoji.
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}]/gu

/** A claimed name without characters that would hide or reorder the text around it; null if nothing is left. */
export const cleanName = (claimed: string | undefined): string | null => {
  const name = claimed?.replace(/\s+/gu, ' ').replace(INVISIBLE, '').trim() ?? ''
  return isBlank(name) ? null : name
}
