import { type ClipboardEvent, type KeyboardEvent, type RefObject, useLayoutEffect } from 'react'
import { usePreferences } from '../../state/preferences.ts'
import type { Channel } from '../../state/types.ts'
import { t } from '../../words/t.ts'
import { replyWay, sendsWithEnter } from './composer-parts.tsx'
import type { Draft } from './drafts.ts'

/** Before it is needed, which may be without a network. */
const loadUnsent = () => void import('./unsent.tsx')

/** The text of a reply or note: as high as its lines need, sent by keyboard, and open to pasted files. */
export const MessageField = ({
  field,
  mode,
  channel,
  text,
  onChange,
  onSend,
  onSlash,
  onFiles,
}: {
  field: RefObject<HTMLTextAreaElement | null>
  mode: Draft['mode']
  channel: Channel
  text: string
  onChange: (text: string) => void
  onSend: (thenClose: boolean) => void
  /** In an empty line. */
  onSlash: (() => void) | null
  onFiles: (files: File[]) => void
}) => {
  const { sendWith } = usePreferences()

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text
  useLayoutEffect(() => {
    const element = field.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
  }, [text, mode])

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      field.current?.blur()
      return
    }
    if (event.key === '/' && onSlash && isLineEmpty(event.currentTarget as HTMLTextAreaElement)) {
      event.preventDefault()
      onSlash()
    }
    if (event.key !== 'Enter') return
    const isMod = event.ctrlKey || event.metaKey
    if (isMod || (sendsWithEnter(channel, mode, sendWith) && !event.shiftKey && !event.altKey)) {
      event.preventDefault()
      onSend(isMod && event.shiftKey)
    }
  }
  const onPaste = (event: ClipboardEvent): void => {
    if (event.clipboardData.files.length === 0) return
    event.preventDefault()
    onFiles([...event.clipboardData.files])
  }

  return (
    <textarea
      ref={field}
      className="composer__field"
      dir="auto"
      rows={2}
      aria-label={mode === 'reply' ? t`Reply` : t`Note`}
      aria-describedby="composer-count"
      placeholder={
        mode === 'reply' ? t`Reply ${replyWay(channel)}…` : t`Internal note, only visible to your team`
      }
      value={text}
      onChange={(event) => onChange(event.target.value)}
      onFocus={loadUnsent}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
    />
  )
}

/** Where the cursor is, up to it. */
const isLineEmpty = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): boolean =>
  selectionStart === selectionEnd && /(^|\n)[^\S\n]*$/.test(value.slice(0, selectionStart))
