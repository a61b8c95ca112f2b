// What the columns of a table are, as guessed from their names.
import type { ImportColumn } from '../../../state/types.ts'

const NAMES: [ImportColumn['to'], RegExp][] = [
  ['email', /e-?mail|correo|courriel/i],
  ['phone', /phone|mobile|móvil|movil|celular|telef|téléph|\btel\b|handy|whatsapp/i],
  ['externalId', /^(external[ _-]?id|id|(customer|contact|user|kunden)[ _-]?(id|no|number|nummer|nr)\.?)$/i],
  [
    'name',
    /^((full|first|last|given|family|customer|contact)[ _-]?)?name$|^(vor|nach)name$|^nombre|^apellido|^nom$|^prénom$|^sobrenome$/i,
  ],
]

const ONCE: ReadonlySet<string> = new Set(['email', 'phone', 'externalId'])

/** Each address only once; whatever is not recognised becomes a custom field of that name. */
export const guessColumns = (names: readonly string[]): ImportColumn[] => {
  const taken = new Set<string>()
  return names.map((name) => {
    const [to] = NAMES.find(([to, pattern]) => pattern.test(name.trim()) && !taken.has(to)) ?? []
    if (to && ONCE.has(to)) taken.add(to)
    if (to) return { to }
    return name.trim() === '' ? { to: 'none' } : { to: 'field', field: name.trim().slice(0, 64) }
  })
}

/** A first row with an address or a number in it is one of the people. */
export const hasNames = ([first = []]: readonly string[][]): boolean =>
  !first.some((cell) => /@[^\s@]+\.\S/.test(cell) || /^\+?[\d\s()./-]{7,}$/.test(cell.trim()))
