import { Copy, ExternalLink, FileText, Image, MapPin, Play } from 'lucide-react'
import type { ReactNode } from 'react'
import { type Format, fillTemplate, formatPieces, type Piece } from '../state/template-text.ts'
import type { RichTemplate } from '../state/types.ts'
import { classNames } from './class-names.ts'
import type { LucideIcon } from './icons.ts'

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

const Text = ({ pieces }: { pieces: readonly Piece[] }) =>
  formatPieces(pieces).map(({ text, isValue, isMissing, formats }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: runs of one text, in its order
    <Formatted key={index} formats={formats}>
      {isValue ? <bdi className={isMissing ? 'preview__missing' : 'preview__value'}>{text}</bdi> : text}
    </Formatted>
  ))

const MEDIA: Record<string, { icon: LucideIcon; word: string }> = {
  IMAGE: { icon: Image, word: 'Picture' },
  VIDEO: { icon: Play, word: 'Video' },
  DOCUMENT: { icon: FileText, word: 'Document' },
  LOCATION: { icon: MapPin, word: 'Place' },
}
const BUTTON_ICONS: Record<string, LucideIcon> = { url: ExternalLink, copy_code: Copy }

/** A template as the customer sees it. Places without a value show their name. */
export const TemplateBubble = ({
  template,
  values = [],
  image,
  isFlush = false,
}: {
  template: RichTemplate
  values?: readonly string[]
  image?: string
  /** Fills the box that it stands in. */
  isFlush?: boolean
}) => {
  const { header, body, buttons } = fillTemplate(template, values)
  const media = template.headerFormat ? MEDIA[template.headerFormat] : undefined
  return (
    <figure
      className={classNames('preview', isFlush && 'preview--flush')}
      aria-label="Preview of the message"
    >
      <div className="preview__bubble" dir="auto">
        {media && (
          <div className="preview__image">
            <media.icon size={20} aria-hidden />
            {image ? media.word : `${media.word} of the template`}
          </div>
        )}
        {header.length > 0 && (
          <p className="text-strong user-text">
            <Text pieces={header} />
          </p>
        )}
        <p className="user-text">
          <Text pieces={body} />
        </p>
        {template.footerText && <p className="text-soft text-small user-text">{template.footerText}</p>}
        {buttons.map((pieces, index) => {
          const Icon = BUTTON_ICONS[template.buttons[index]!.type]
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two buttons may read alike
            <span key={index} className="preview__button">
              {Icon && <Icon size={14} aria-hidden />} <Text pieces={pieces} />
            </span>
          )
        })}
      </div>
    </figure>
  )
}
