// Addresses as people type and paste them.
import type { MailRecipient } from '../../../state/types.ts'

const ADDRESS = /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\.]+(\.[^\s@<>(),;:"[\]\\.]+)+$/u

export const isAddress = (text: string): boolean => ADDRESS.test(text)

/** Ada <ada@example.com>, "Lovelace, Ada" <…>, or the address alone; not valid if it is none. */
const readOne = (text: string): MailRecipient => {
  const [, name = '', address = text] = /^(.*?)<([^<>]*)>$/.exec(text) ?? []
  const plain = name.trim().replace(/^"(.*)"$/, '$1')
  return { ...(plain && { name: plain }), address: address.trim() }
}

/** Separated by commas, semicolons or lines, outside of quotation marks. */
export const readAddresses = (text: string): MailRecipient[] =>
  (text.match(/(?:"[^"\n]*"|[^,;\n"])+/g) ?? [])
    .map((part) => part.trim())
    .filter(Boolean)
    .map(readOne)

/** Each once, whatever its case. */
export const withRecipients = (
  known: readonly MailRecipient[],
  more: readonly MailRecipient[],
): MailRecipient[] => {
  const taken = new Set(known.map(({ address }) => address.toLowerCase()))
  return [
    ...known,
    ...more.filter(({ address }) => {
      const lower = address.toLowerCase()
      return !taken.has(lower) && taken.add(lower)
    }),
  ]
}
