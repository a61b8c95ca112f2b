// A text for customers, in the language that the form shows, with variables put in where the caret is.
import { Braces } from 'lucide-react'
import { type RefObject, useRef } from 'react'
import type { LocalizedText } from '../../../../flow-engine/schema.ts'
import { FormField } from '../../../ui/field.tsx'
import { t } from '../../../words/t.ts'
import { textIn, withText } from '../definition/localized.ts'
import { pathWords } from '../definition/words.ts'
import { useEditor } from '../editor-context.tsx'
import { PickPopover } from './pick-popover.tsx'
import { readablePaths } from './variables.ts'

const TEXT_MAX = 2_000

export const TextInput = ({
  label,
  hint,
  problem,
  isShort = false,
  placeholder,
  value,
  onChange,
  onEnter,
}: {
  label: string
  hint?: string
  problem?: string
  /** One line, where variables are rare. */
  isShort?: boolean
  placeholder?: string
  value: LocalizedText | undefined
  onChange: (value: LocalizedText | undefined) => void
  /** Enter in a short text. */
  onEnter?: () => void
}) => {
  const { definition, language, isReadOnly } = useEditor()
  const field = useRef<HTMLTextAreaElement & HTMLInputElement>(null)
  const own = definition.language
  const text = typeof value === 'object' ? (value[language] ?? '') : language === own ? (value ?? '') : ''
  const write = (next: string): void => onChange(withText(value, own, language, next))
  const insert = (path: string): void => {
    const { current } = field
    const at = current?.selectionStart ?? text.length
    write(`${text.slice(0, at)}{{${path}}}${text.slice(current?.selectionEnd ?? at)}`)
    const caret = at + path.length + '{{}}'.length
    // After the new text has been drawn; the popover gives focus back to the field.
    requestAnimationFrame(() => current?.setSelectionRange(caret, caret))
  }
  const shared = {
    ref: field,
    dir: 'auto' as const,
    lang: language,
    value: text,
    placeholder: language === own ? placeholder : textIn(value, own),
    maxLength: TEXT_MAX,
    disabled: isReadOnly,
    onChange: ({ target }: { target: { value: string } }) => write(target.value),
  }
  return (
    <div className="text-input">
      <FormField label={label} hint={hint} problem={problem}>
        {(wiring) =>
          isShort ? (
            <input
              {...shared}
              {...wiring}
              className="input"
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !onEnter || event.ctrlKey || event.metaKey) return
                if (event.nativeEvent.isComposing) return
                event.preventDefault()
                onEnter()
              }}
            />
          ) : (
            <textarea {...shared} {...wiring} rows={3} className="input input--area" />
          )
        }
      </FormField>
      {!isReadOnly && !isShort && <InsertVariable field={field} onPick={insert} />}
    </div>
  )
}

const InsertVariable = ({
  field,
  onPick,
}: {
  field: RefObject<HTMLElement | null>
  onPick: (path: string) => void
}) => {
  const { definition, resources } = useEditor()
  return (
    <span>
      <PickPopover
        label={t`Variables`}
        button={t`Insert variable`}
        icon={Braces}
        isWide
        focusAfter={field}
        items={() =>
          readablePaths(definition, resources.resultsOf(definition)).map(({ path, group }) => ({
            id: path,
            text: `${pathWords(path)} ${path}`,
            content: pathWords(path),
            hint: path,
            group,
          }))
        }
        onPick={onPick}
      />
    </span>
  )
}
