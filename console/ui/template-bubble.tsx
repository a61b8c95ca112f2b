import { Copy, ExternalLink, FileText, Image, MapPin, Play } from 'lucide-react'
import { fillTemplate } from '../state/template-text.ts'
import type { RichTemplate } from '../state/types.ts'
import { t } from '../words/t.ts'
import { classNames } from './class-names.ts'
import { FormattedPieces } from './formatted-text.tsx'
import type { LucideIcon } from './icons.ts'

const MEDIA: Record<string, { icon: LucideIcon; word: string }> = {
  IMAGE: { icon: Image, word: t`Image` },
  VIDEO: { icon: Play, word: t`Video` },
  DOCUMENT: { icon: FileText, word: t`Document` },
  LOCATION: { icon: MapPin, word: t`Location` },
}
const BUTTON_ICONS: Record<string, LucideIcon> = { url: ExternalLink, copy_code: Copy }

/** A template as the customer sees it. Variables without a value show their name. */
export const TemplateBubble = ({
  template,
  values = [],
  file,
  isFlush = false,
}: {
  template: RichTemplate
  values?: readonly string[]
  /** The file of its header. */
  file?: { type: string; name: string; url: string } | undefined
  /** Fills its container. */
  isFlush?: boolean
}) => {
  const { header, body, buttons } = fillTemplate(template, values)
  const media = template.headerFormat ? MEDIA[template.headerFormat] : undefined
  return (
    <figure
      className={classNames('preview', isFlush && 'preview--flush')}
      aria-label={t`Preview of the message`}
    >
      <div className="preview__bubble" dir="auto">
        {file?.type === 'image' && media ? (
          <img className="preview__picture" src={file.url} alt={file.name} />
        ) : (
          media && (
            <div className="preview__image">
              <media.icon size={20} aria-hidden />
              {file ? <bdi className="truncate">{file.name}</bdi> : media.word}
            </div>
          )
        )}
        {header.length > 0 && (
          <p className="text-strong user-text">
            <FormattedPieces pieces={header} />
          </p>
        )}
        <p className="user-text">
          <FormattedPieces pieces={body} />
        </p>
        {template.footerText && <p className="text-soft text-small user-text">{template.footerText}</p>}
        {buttons.map((pieces, index) => {
          const Icon = BUTTON_ICONS[template.buttons[index]!.type]
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two buttons may have the same text
            <span key={index} className="preview__button">
              {Icon && <Icon size={14} aria-hidden />} <FormattedPieces pieces={pieces} />
            </span>
          )
        })}
      </div>
    </figure>
  )
}
