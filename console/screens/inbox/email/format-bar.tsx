// What can be done with the text of an email. The keys are those that mail programs share.
import {
  Bold,
  Italic,
  Link as LinkIcon,
  List,
  ListOrdered,
  type LucideIcon,
  TextQuote,
  Unlink,
} from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { t } from '../../../words/t.ts'
import type { Editor, Format } from './editor.ts'

const BUTTONS: [Exclude<Format, 'link'>, string, string, LucideIcon][] = [
  ['bold', t`Bold`, 'mod+b', Bold],
  ['italic', t`Italic`, 'mod+i', Italic],
  ['bullets', t`Bulleted list`, 'mod+shift+8', List],
  ['numbers', t`Numbered list`, 'mod+shift+7', ListOrdered],
  ['quote', t`Quote`, 'mod+shift+9', TextQuote],
]

export const FormatBar = ({
  editor,
  formats,
  isLinking,
  onLinking,
}: {
  editor: Editor | null
  formats: ReadonlySet<Format>
  isLinking: boolean
  onLinking: (isLinking: boolean) => void
}) => (
  <>
    {isLinking && editor && <LinkForm editor={editor} onClose={() => onLinking(false)} />}
    <div className="formats" role="toolbar" aria-label={t`Formatting`}>
      {BUTTONS.map(([format, label, keys, icon]) => (
        <IconButton
          key={format}
          icon={icon}
          size="small"
          label={label}
          keys={keys}
          isPressed={formats.has(format)}
          // The selection stays where it is.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => editor?.run(format)}
        />
      ))}
      <IconButton
        icon={LinkIcon}
        size="small"
        label={t`Link`}
        isPressed={formats.has('link')}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onLinking(!isLinking)}
      />
    </div>
  </>
)

const withScheme = (address: string): string =>
  /^(https?:\/\/|mailto:|tel:)/i.test(address)
    ? address
    : address.includes('@') && !address.includes('/')
      ? `mailto:${address}`
      : `https://${address}`

const LinkForm = ({ editor, onClose }: { editor: Editor; onClose: () => void }) => {
  const [address, setAddress] = useState(() => editor.linkAt())
  const save = (): void => {
    const given = address.trim()
    editor.setLink(given === '' ? null : withScheme(given))
    onClose()
  }
  return (
    <div className="formats__link">
      <input
        className="formats__address"
        aria-label={t`Link address`}
        placeholder={t`https://…`}
        inputMode="url"
        // biome-ignore lint/a11y/noAutofocus: it was asked for
        autoFocus
        value={address}
        onChange={(event) => setAddress(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault()
            event.stopPropagation()
            save()
          } else if (event.key === 'Escape') {
            event.stopPropagation()
            onClose()
            editor.focus()
          }
        }}
      />
      <Button size="small" onClick={save}>
        {t`Apply`}
      </Button>
      {editor.linkAt() !== '' && (
        <IconButton
          icon={Unlink}
          size="small"
          label={t`Remove link`}
          onClick={() => {
            editor.setLink(null)
            onClose()
          }}
        />
      )}
    </div>
  )
}
