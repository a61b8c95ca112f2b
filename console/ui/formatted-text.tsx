import type { ReactNode } from 'react'
import { type Format, formatPieces, type Piece } from '../state/template-text.ts'
import { LinkedText } from './linked-text.tsx'

const Formatted = ({ formats, children }: { formats: readonly Format[]; children: ReactNode }) => {
  const [Outer, ...inner] = formats
  return Outer ? (
    <Outer>
      <Formatted formats={inner}>{children}</Formatted>
    </Outer>
  ) : (
    children
  )
}

/** Renders text with WhatsApp's formatting (*bold*, _italic_, ~struck~, `code`). */
export const FormattedPieces = ({ pieces }: { pieces: readonly Piece[] }) =>
  formatPieces(pieces).map(({ text, isValue, isMissing, formats }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the runs of a text keep their order
    <Formatted key={index} formats={formats}>
      {isValue ? <bdi className={isMissing ? 'preview__missing' : 'preview__value'}>{text}</bdi> : text}
    </Formatted>
  ))

/** A message as WhatsApp shows it, with URLs turned into links. */
export const FormattedText = ({ text }: { text: string }) =>
  formatPieces([{ text, isValue: false, isMissing: false }]).map((run, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the runs of a text keep their order
    <Formatted key={index} formats={run.formats}>
      {run.formats.includes('code') ? run.text : <LinkedText text={run.text} />}
    </Formatted>
  ))
