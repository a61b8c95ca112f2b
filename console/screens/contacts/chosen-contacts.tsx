import { X } from 'lucide-react'
import type { ContactRow } from '../../state/types.ts'
import { IconButton } from '../../ui/button.tsx'
import { t } from '../../words/t.ts'

export type Chosen = Pick<ContactRow, 'id' | 'name'>

/** The selected contacts, each with a remove button. */
export const ChosenContacts = ({
  contacts,
  onRemove,
}: {
  contacts: readonly Chosen[]
  onRemove: (id: string) => void
}) =>
  contacts.length === 0 ? null : (
    <ul className="chips" aria-label={t`Selected contacts`}>
      {contacts.map(({ id, name }) => (
        <li key={id} className="chip">
          <bdi className="truncate">{name}</bdi>
          <IconButton
            icon={X}
            size="small"
            label={t`Remove ${name}`}
            hasTooltip={false}
            onClick={() => onRemove(id)}
          />
        </li>
      ))}
    </ul>
  )

/** Adds or removes a contact, keeping the order of selection. */
export const toggleChosen = (chosen: readonly Chosen[], { id, name }: Chosen): Chosen[] =>
  chosen.some((other) => other.id === id)
    ? chosen.filter((other) => other.id !== id)
    : [...chosen, { id, name }]
