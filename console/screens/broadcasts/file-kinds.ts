// Files that headers of templates take. Pure.
import { t } from '../../words/t.ts'

export type FileKind = 'IMAGE' | 'VIDEO' | 'DOCUMENT'

export const KINDS = {
  IMAGE: {
    type: 'image',
    label: t`Header image`,
    button: t`Upload image`,
    accept: 'image/jpeg,image/png',
    hint: t`JPEG or PNG, up to 5 MB. The image in WhatsApp Manager is only a sample and isn’t sent.`,
  },
  VIDEO: {
    type: 'video',
    label: t`Header video`,
    button: t`Upload video`,
    accept: 'video/mp4,video/3gpp',
    hint: t`MP4 or 3GP, up to 16 MB.`,
  },
  DOCUMENT: {
    type: 'document',
    label: t`Header document`,
    button: t`Upload document`,
    accept: '.pdf,.doc,.docx,.xls,.xlsx,.ppt,.pptx,.txt,.csv,application/pdf',
    hint: t`PDF, Office or text, up to 25 MB.`,
  },
} satisfies Record<FileKind, object>

export const fileKindOf = (headerFormat: string | null): FileKind | null =>
  headerFormat !== null && Object.hasOwn(KINDS, headerFormat) ? (headerFormat as FileKind) : null
