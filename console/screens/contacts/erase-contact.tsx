// Erases a person: first the choice of what goes, then what that means.

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { EyeOff, Minus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { countOf } from '../../state/amounts.ts'
import { useApi } from '../../state/session.tsx'
import type { Profile } from '../../state/types.ts'
import { Button } from '../../ui/button.tsx'
import { type CardChoice, ChoiceCards } from '../../ui/choice-cards.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'

type Mode = 'erase' | 'anonymise'

const MODES: CardChoice<Mode>[] = [
  {
    value: 'erase',
    label: t`Erase everything`,
    about: t`The contact, its conversations, messages, notes and files.`,
    icon: Trash2,
  },
  {
    value: 'anonymise',
    label: t`Keep the figures`,
    about: t`Who they were and what was said goes. Times and channels stay for reports.`,
    icon: EyeOff,
  },
]

const conversationsOf = (count: number): string => {
  if (count === 0) return t`Its files and notes`
  return count === 1
    ? t`One conversation with its messages, files and notes`
    : t`${countOf(count)} conversations with their messages, files and notes`
}

const lostOf = (mode: Mode, conversationCount: number): string[] =>
  ({
    erase: [
      t`The contact, with all its details`,
      conversationsOf(conversationCount),
      t`Copies in events, webhook deliveries and logs`,
    ],
    anonymise: [
      t`Name, addresses, custom fields, tags and groups`,
      t`The text of all messages, files and notes`,
      t`Copies in events, webhook deliveries and logs`,
    ],
  })[mode]

const EraseContact = ({ contact, onClose }: { contact: Profile['contact']; onClose: () => void }) => {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [mode, setMode] = useState<Mode>('erase')
  const [isSure, setSure] = useState(false)
  if (!isSure)
    return (
      <Dialog
        title={t`Delete contact`}
        isOpen
        onClose={onClose}
        foot={
          <>
            <Button onClick={onClose}>{t`Cancel`}</Button>
            <Button variant="primary" onClick={() => setSure(true)}>
              {t`Continue`}
            </Button>
          </>
        }
      >
        <ChoiceCards label={t`What to delete`} choices={MODES} value={mode} onChange={setMode} autoFocus />
      </Dialog>
    )
  return (
    <ConfirmDialog
      title={mode === 'erase' ? t`Erase ${contact.name}?` : t`Anonymise ${contact.name}?`}
      about={t`This can’t be undone. You will lose:`}
      confirmLabel={mode === 'erase' ? t`Erase contact` : t`Anonymise contact`}
      isDanger
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`/contacts/${contact.id}?mode=${mode}`)
        toast(t`Deleting the contact. This may take a few minutes.`)
        await navigate({ to: '/contacts' })
        await client.invalidateQueries()
      }}
    >
      <div className="stack">
        <ul className="stack stack--tight">
          {lostOf(mode, contact.conversationCount).map((what) => (
            <li key={what} className="row row--top">
              <Minus size={16} aria-hidden />
              {what}
            </li>
          ))}
        </ul>
        <p className="text-soft">{t`If they write again, they’re a new contact without history.`}</p>
      </div>
    </ConfirmDialog>
  )
}
export default EraseContact
