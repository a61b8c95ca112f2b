// WhatsApp's list of options, which slides up over the chat: a row is selected and then sent.
import { X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../../console/ui/button.tsx'
import type { Entry } from './client.ts'

type Row = { id: string; title: string; description?: string }
type Section = { title?: string; rows: Row[] }

export const ListSheet = ({
  entry,
  onSend,
  onClose,
}: {
  entry: Entry
  onSend: (choice: string) => void
  onClose: () => void
}) => {
  const [chosen, setChosen] = useState<string | null>(null)
  const sheet = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    sheet.current?.querySelector('input')?.focus()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    onClose()
  }
  const title: string = entry.content.listLabel ?? 'Choose'
  return (
    <div className="sheet">
      <button type="button" className="sheet__veil" aria-label="Close list" tabIndex={-1} onClick={onClose} />
      <div
        ref={sheet}
        className="sheet__card"
        role="dialog"
        aria-modal="true"
        aria-label={title}
        onKeyDown={onKeyDown}
      >
        <header className="row">
          <IconButton icon={X} label="Close" onClick={onClose} />
          <b className="grow truncate" dir="auto">
            {title}
          </b>
        </header>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (chosen !== null) onSend(chosen)
          }}
        >
          <div className="sheet__rows">
            {(entry.content.sections as Section[]).map(({ title, rows }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the sections of a list keep their order
              <fieldset key={at}>
                {title && <legend>{title}</legend>}
                {rows.map((row) => (
                  <label key={row.id} className="sheet__row">
                    <span className="grow">
                      <span className="sheet__title" dir="auto">
                        {row.title}
                      </span>
                      {row.description && <small dir="auto">{row.description}</small>}
                    </span>
                    <input
                      type="radio"
                      name="row"
                      value={row.id}
                      checked={chosen === row.id}
                      onChange={() => setChosen(row.id)}
                    />
                  </label>
                ))}
              </fieldset>
            ))}
          </div>
          <Button type="submit" variant="primary" disabled={chosen === null}>
            Send
          </Button>
        </form>
      </div>
    </div>
  )
}
