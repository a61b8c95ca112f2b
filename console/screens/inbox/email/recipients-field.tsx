// One line of recipients: chips, and a field that completes from contacts.
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, type Ref, useEffect, useId, useState } from 'react'
import { keys } from '../../../state/query-keys.ts'
import { useApi } from '../../../state/session.tsx'
import type { ContactRow, MailRecipient } from '../../../state/types.ts'
import { classNames } from '../../../ui/class-names.ts'
import { t } from '../../../words/t.ts'
import { isAddress, readAddresses, withRecipients } from './addresses.ts'

const SUGGESTIONS_MAX = 6
const WAIT_MS = 150

const useWaited = (text: string): string => {
  const [waited, setWaited] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setWaited(text), WAIT_MS)
    return () => clearTimeout(timer)
  }, [text])
  return waited
}

/** Contacts with an email that fit what was typed. */
const useSuggestions = (text: string, known: readonly MailRecipient[]): MailRecipient[] => {
  const api = useApi()
  const search = useWaited(text.trim())
  const { data } = useQuery({
    queryKey: keys.recipients(api.workspaceId, search),
    queryFn: ({ signal }) =>
      api.get<{ contacts: ContactRow[] }>('/contacts', { search, pageSize: 2 * SUGGESTIONS_MAX }, signal),
    enabled: search.length > 1,
    staleTime: 60_000,
    // Whoever may not see contacts types addresses.
    retry: false,
  })
  if (text.trim().length < 2) return []
  const taken = new Set(known.map(({ address }) => address.toLowerCase()))
  return (data?.contacts ?? [])
    .flatMap(({ name, email }) => (email && !taken.has(email) ? [{ name, address: email }] : []))
    .slice(0, SUGGESTIONS_MAX)
}

export const RecipientsField = ({
  ref,
  label,
  recipients,
  onChange,
  takesFocus = false,
}: {
  ref?: Ref<HTMLInputElement>
  label: string
  recipients: readonly MailRecipient[]
  onChange: (recipients: MailRecipient[]) => void
  takesFocus?: boolean
}) => {
  const id = useId()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const suggestions = useSuggestions(text, recipients)
  const shown = isOpen ? suggestions : []
  const active = shown[Math.min(chosen, shown.length - 1)]

  const add = (more: MailRecipient[]): void => {
    onChange(withRecipients(recipients, more))
    setText('')
    setChosen(0)
  }
  const remove = (at: number): void => onChange(recipients.filter((_, other) => other !== at))
  /** What was typed becomes a recipient, even if it is no address: it is marked then, and can't be sent to. */
  const commit = (): void => {
    if (text.trim() !== '') add(readAddresses(text))
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape' && shown.length > 0) {
      event.stopPropagation()
      setOpen(false)
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (shown.length === 0) return
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : shown.length - 1
      setChosen((chosen + step) % shown.length)
    } else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      event.preventDefault()
      if (active) add([active])
      else commit()
    } else if ((event.key === ',' || event.key === ';') && isAddress(text.trim())) {
      event.preventDefault()
      commit()
    } else if (event.key === 'Backspace' && text === '' && recipients.length > 0) {
      event.preventDefault()
      remove(recipients.length - 1)
    }
  }
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = readAddresses(event.clipboardData.getData('text/plain'))
    if (pasted.length < 2 && !isAddress(pasted[0]?.address ?? '')) return
    event.preventDefault()
    add(pasted)
  }

  return (
    <div className="recipients">
      <label htmlFor={id} className="recipients__label">
        {label}
      </label>
      <div className="recipients__chips">
        {recipients.map(({ name, address }, at) => (
          <Chip key={address} name={name} address={address} onRemove={() => remove(at)} />
        ))}
        <input
          ref={ref}
          id={id}
          className="recipients__input"
          // biome-ignore lint/a11y/noAutofocus: it was asked for
          autoFocus={takesFocus}
          autoComplete="off"
          spellCheck={false}
          inputMode="email"
          role="combobox"
          aria-expanded={shown.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={active && `${id}-${active.address}`}
          aria-autocomplete="list"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setOpen(true)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          onBlur={() => {
            setOpen(false)
            commit()
          }}
        />
      </div>
      <div
        id={`${id}-list`}
        className="recipients__list"
        role="listbox"
        aria-label={t`Contacts for ${label}`}
        hidden={shown.length === 0}
      >
        {shown.map((one) => (
          // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant points here, focus stays in the field
          <div
            key={one.address}
            id={`${id}-${one.address}`}
            role="option"
            aria-selected={one === active}
            className="recipients__option"
            // Before the field loses the focus.
            onPointerDown={(event) => {
              event.preventDefault()
              add([one])
            }}
          >
            <bdi className="truncate">{one.name}</bdi>
            <bdi className="text-soft text-small truncate">{one.address}</bdi>
          </div>
        ))}
      </div>
    </div>
  )
}

const Chip = ({ name, address, onRemove }: MailRecipient & { onRemove: () => void }) => {
  const isValid = isAddress(address)
  return (
    <span
      className={classNames('recipients__chip', !isValid && 'recipients__chip--invalid')}
      title={isValid ? address : t`${address} isn’t an email address`}
    >
      <bdi className="truncate">{name || address}</bdi>
      <button
        type="button"
        className="recipients__remove"
        aria-label={t`Remove ${address}`}
        onClick={onRemove}
      >
        <X size={12} aria-hidden />
      </button>
    </span>
  )
}
