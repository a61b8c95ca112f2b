import { X } from 'lucide-react'
import type { ContactRow } from '../../state/types.ts'
import { IconButton } from '../../ui/button.tsx'

export type Chosen = Pick<ContactRow, 'id' | 'name'>

/** Those who were picked, each with a way to take them out again. */
export const ChosenContacts = ({
  contacts,
  onRemove,
}: {
  contacts: readonly Chosen[]
  onRemove: (id: string) => void
}) =>
  contacts.length === 0 ? null : (
    <ul className="chips" aria-label="Picked">
      {contacts.map(({ id, name }) => (
        <li key={id} className="chip">
          <bdi className="truncate">{name}</bdi>
          <IconButton
            icon={X}
            size="small"
            label={`Leave out ${name}`}
            hasTooltip={false}
            onClick={() => onRemove(id)}
          />
        </li>
      ))}
    </ul>
  )

/** In or out, in the order of picking. */
export const toggleChosen = (chosen: readonly Chosen[], { id, name }: Chosen): Chosen[] =>
  chosen.some((other) => other.id === id)
    ? chosen.filter((other) => other.id !== id)
    : [...chosen, { id, name }]
