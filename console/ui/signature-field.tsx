// The text of a signature, with values put in where the cursor is.
import { Braces } from 'lucide-react'
import { useRef, useState } from 'react'
import { REPLY_VALUES } from '../state/saved-replies.ts'
import { t } from '../words/t.ts'
import { Button } from './button.tsx'
import { TextArea } from './field.tsx'
import { Menu, MenuItem } from './menu.tsx'

const SIGNATURE_MAX = 2_000

/** The form's field `body`. */
export const SignatureField = ({ body, hint }: { body: string; hint: string }) => {
  const [text, setText] = useState(body)
  const place = useRef<HTMLDivElement>(null)
  const insert = (path: string): void => {
    const field = place.current?.querySelector('textarea')
    const { selectionStart: start, selectionEnd: end } = field ?? {
      selectionStart: text.length,
      selectionEnd: text.length,
    }
    setText(`${text.slice(0, start)}{{${path}}}${text.slice(end)}`)
    setTimeout(() => field?.focus())
  }
  return (
    <div ref={place} className="stack">
      <TextArea
        label={t`Signature`}
        name="body"
        rows={5}
        maxLength={SIGNATURE_MAX}
        hint={hint}
        placeholder={t`e.g. {{agent.name}}
{{workspace.name}}`}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="row">
        <Menu
          label={t`Insert a value`}
          trigger={
            <Button size="small" icon={Braces}>
              {t`Insert a value`}
            </Button>
          }
        >
          {REPLY_VALUES.map(({ path, label }) => (
            <MenuItem key={path} onSelect={() => insert(path)}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      </div>
    </div>
  )
}
