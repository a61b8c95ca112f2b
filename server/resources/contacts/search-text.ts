// What searches compare: folded here, not in SQL, so that the result does not depend on the database's locale and the
// trigram index sees the very text that is searched.

/** Between the parts, so that no term matches across two of them. */
const SEPARATOR = '\u001f'

/** Text without case: compatibility forms unified, ß as ss, one sigma. Terms and stored text pass through it alike. */
export const foldText = (text: string): string =>
  text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll(SEPARATOR, ' ')

type Searchable = { name: string; email: string | null; phone: string | null; username: string | null }

/** The search_text of a contact: whoever changes one of these stores it again. */
export const contactSearchTextOf = ({ name, email, phone, username }: Searchable): string =>
  [name, email, phone, username]
    .filter((part) => part !== null && part !== '')
    .map((part) => foldText(part as string))
    .join(SEPARATOR)
