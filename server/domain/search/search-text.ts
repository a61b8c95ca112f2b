// The text that searches compare: folded here, not in SQL, so that the result does not depend on the database's locale
// and the trigram index contains exactly the text that is searched.

/** Between the parts, so that no term matches across two of them. */
const SEPARATOR = '\u001f'

/** Case-insensitive text: compatibility forms unified, ß as ss, one sigma. Applied to both terms and stored text. */
export const foldText = (text: string): string =>
  text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll(SEPARATOR, ' ')

type Searchable = { name: string; email: string | null; phone: string | null; username: string | null }

/** The search_text of a contact: store it again whenever one of these changes. */
export const contactSearchTextOf = ({ name, email, phone, username }: Searchable): string =>
  [name, email, phone, username]
    .filter((part) => part !== null && part !== '')
    .map((part) => foldText(part as string))
    .join(SEPARATOR)
