const ID_CHARACTERS_SHOWN = 4

/** What a visitor who gave neither name nor email is called. */
export const placeholderName = (visitorId: string): string =>
  `Visitor ${visitorId.slice(-ID_CHARACTERS_SHOWN)}`

// Joiners belong to the spelling of many names and of emoji.
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}]/gu

/** A claimed name without what would hide or reorder the text around it; null when nothing is left. */
export const cleanName = (claimed: string | undefined): string | null =>
  claimed?.replace(/\s+/gu, ' ').replace(INVISIBLE, '').trim() || null
