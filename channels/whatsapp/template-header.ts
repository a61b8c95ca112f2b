// A template's non-text header: the values for it, their validation, and the resulting component.
// https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/components
import type { JsonObject } from '../protocol/read-json.ts'

/** The name of a `{{…}}` in the definition: `1`, or e.g. `order_id` if the parameters are named. */
export type Variable = string

export type TemplateHeader =
  | { format: 'text'; text: string; variables: Variable[] }
  /** defaultUrl: our image to use if a send has none. The provider's own sample expires. */
  | { format: 'image'; defaultUrl: string | null }
  /** Video, document, location, and formats that cannot be sent from here. */
  | { format: 'other'; name: string }

export type TemplateProblem = { field: string; message: string }

type HeaderLocation = {
  latitude: number
  longitude: number
  name?: string | undefined
  address?: string | undefined
}

/** The values for the header. Each is for certain kinds of header and refused for others. */
export type HeaderValues = {
  /** For an image, which WhatsApp downloads. */
  headerImageUrl?: string | null | undefined
  /** For a video or a document, which WhatsApp downloads. */
  headerMediaUrl?: string | null | undefined
  /** The name of a document; by default, from its URL. */
  headerFileName?: string | null | undefined
  headerLocation?: HeaderLocation | null | undefined
  /** An uploaded file in place of the URL, see header-file.ts. */
  headerAttachmentId?: string | null | undefined
}

const MEDIA = ['video', 'document'] as const
type Media = (typeof MEDIA)[number]

type Kind = 'none' | 'image' | Media | 'location' | 'unknown'

/** In stored definitions, every format except text and image is "other", with its name. */
const kindOf = (header: TemplateHeader | null): Kind => {
  if (!header || header.format === 'text') return 'none'
  if (header.format === 'image') return 'image'
  return [...MEDIA, 'location' as const].find((kind) => kind === header.name) ?? 'unknown'
}

/** The name of an unsupported format; null if the header can be filled. */
export const unknownFormatOf = (header: TemplateHeader | null): string | null =>
  kindOf(header) === 'unknown' && header?.format === 'other' ? header.name : null

const isMedia = (kind: Kind): kind is Media => MEDIA.some((one) => one === kind)

/** The kind of file that the header takes; null if it takes none. */
export const fileTypeOf = (header: TemplateHeader | null): 'image' | Media | null => {
  const kind = kindOf(header)
  return kind === 'image' || isMedia(kind) ? kind : null
}

const article = (kind: Kind): string => (kind === 'image' ? 'an image' : `a ${kind}`)

/** Every error in the values for the header, with its field. */
export const problemsOfHeader = (header: TemplateHeader | null, values: HeaderValues): TemplateProblem[] => {
  const { headerImageUrl, headerMediaUrl, headerFileName, headerLocation, headerAttachmentId } = values
  const kind = kindOf(header)
  const hasFile = Boolean(headerAttachmentId)
  const hasDefault = header?.format === 'image' && header.defaultUrl !== null
  return [
    ...problemsOf(
      'headerImageUrl',
      headerImageUrl,
      kind === 'image',
      hasDefault || hasFile,
      kind,
      'an image',
    ),
    ...problemsOf('headerMediaUrl', headerMediaUrl, isMedia(kind), hasFile, kind, 'a video or document'),
    ...problemsOf(
      'headerAttachmentId',
      headerAttachmentId,
      fileTypeOf(header) !== null,
      true,
      kind,
      'an image, a video or a document',
    ),
    ...(hasFile && (headerImageUrl || headerMediaUrl)
      ? [{ field: 'headerAttachmentId', message: 'must be left out: the file’s URL is given' }]
      : []),
    ...problemsOf('headerFileName', headerFileName, kind === 'document', true, kind, 'a document'),
    ...problemsOf('headerLocation', headerLocation, kind === 'location', false, kind, 'a location'),
  ]
}

const problemsOf = (
  field: keyof HeaderValues,
  value: string | HeaderLocation | null | undefined,
  isTaken: boolean,
  isOptional: boolean,
  kind: Kind,
  what: string,
): TemplateProblem[] => {
  if (value === undefined || value === null)
    return isTaken && !isOptional
      ? [{ field, message: `is required: the template’s header is ${article(kind)}` }]
      : []
  if (!isTaken) return [{ field, message: `must be left out: the template’s header is not ${what}` }]
  return field.endsWith('Url') && !isHttpUrl(String(value))
    ? [{ field, message: 'must be an absolute http or https URL' }]
    : []
}

const isHttpUrl = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && /^https?:\/\//i.test(text.trim())
}

/**
 * The parameter of the header's component; null if it takes none, or an uploaded file, which the send adds. The values must have passed problemsOfHeader.
 */
export const headerParameter = (header: TemplateHeader | null, values: HeaderValues): JsonObject | null => {
  const kind = kindOf(header)
  const { headerImageUrl, headerMediaUrl, headerFileName, headerLocation } = values
  if (values.headerAttachmentId) return null
  if (header?.format === 'image') {
    const link = headerImageUrl ?? header.defaultUrl
    return link ? { type: 'image', image: { link } } : null
  }
  if (isMedia(kind) && headerMediaUrl)
    return {
      type: kind,
      [kind]: { link: headerMediaUrl, ...(headerFileName && { filename: headerFileName }) },
    }
  if (kind === 'location' && headerLocation) {
    // Numbers as text, as in the provider's examples.
    const { latitude, longitude, name, address } = headerLocation
    const place = { latitude: String(latitude), longitude: String(longitude) }
    return { type: 'location', location: { ...place, ...(name && { name }), ...(address && { address }) } }
  }
  return null
}
