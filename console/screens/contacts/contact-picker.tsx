// Picks contacts by searching all of them.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useApi } from '../../state/session.tsx'
import type { ContactRow } from '../../state/types.ts'
import { Picker } from '../../ui/picker.tsx'
import { t } from '../../words/t.ts'
import { type Chosen, ChosenContacts, toggleChosen } from './chosen-contacts.tsx'
import { Unverified, Who } from './contact-who.tsx'
import { directoryQuery } from './directory.ts'

const WAIT_MS = 200

export const ContactPicker = ({
  selectedIds,
  takesFocus,
  onToggle,
}: {
  selectedIds: ReadonlySet<string>
  takesFocus?: boolean
  onToggle: (contact: ContactRow) => void
}) => {
  const api = useApi()
  const [typed, setTyped] = useState('')
  const [search, setSearch] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), WAIT_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const { data, error } = useQuery(directoryQuery(api, { q: search || undefined }))
  const contacts = data?.contacts ?? []
  return (
    <Picker
      isWide
      takesFocus={takesFocus}
      label={t`Search contacts`}
      placeholder={t`Name, email, phone or username`}
      empty={error ? error.message : data ? t`No matching contacts.` : t`Searching…`}
      selectedIds={selectedIds}
      onSearch={setTyped}
      items={contacts.map(({ id, name, phone, email, emailVerified }) => ({
        id,
        text: name,
        content: <Who id={id} name={name} />,
        hint:
          phone && phone !== name ? (
            phone
          ) : (
            <>
              {email !== name && email} {email && !emailVerified && <Unverified isPlain />}
            </>
          ),
      }))}
      onPick={(id) => {
        const contact = contacts.find((other) => other.id === id)
        if (contact) onToggle(contact)
      }}
    />
  )
}

/** Contacts to be picked one by one, with those picked so far above. */
export const ContactsChoice = ({
  chosen,
  takesFocus,
  onChange,
}: {
  chosen: Chosen[]
  takesFocus?: boolean
  onChange: (chosen: Chosen[]) => void
}) => (
  <>
    <ChosenContacts
      contacts={chosen}
      onRemove={(id) => onChange(chosen.filter((other) => other.id !== id))}
    />
    <div className="picker-box">
      <ContactPicker
        takesFocus={takesFocus}
        selectedIds={new Set(chosen.map(({ id }) => id))}
        onToggle={(contact) => onChange(toggleChosen(chosen, contact))}
      />
    </div>
  </>
)
