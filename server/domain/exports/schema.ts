import Type, { type Static } from 'typebox'
import { ARCHIVE_RESOURCES, EXPORT_STATUSES } from '../../platform/db/tables.ts'
import { Id, Moment, nullable } from '../schema.ts'

export const EXPORTS_LISTED_MAX = 100

const ResourceEnum = Type.Enum([...ARCHIVE_RESOURCES], { title: 'ArchiveResource' })
const StatusEnum = Type.Enum([...EXPORT_STATUSES], {
  title: 'ExportStatus',
  description:
    '`expired`: its files were deleted: seven days after it was completed, or a day for the data of a contact.',
})

export const NewExport = Type.Object(
  {
    resources: Type.Optional(
      Type.Array(ResourceEnum, {
        minItems: 1,
        maxItems: ARCHIVE_RESOURCES.length,
        uniqueItems: true,
        description: 'What to export. Everything if omitted.',
      }),
    ),
    createdAfter: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Only messages, notes and attachments from this time on, and conversations that have changed since. Everything else is complete.',
      }),
    ),
    includeFiles: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Also the contents of attachments, as `files.tar`.',
      }),
    ),
  },
  { examples: [{ resources: ['contacts', 'conversations', 'messages'] }] },
)
export type NewExport = Static<typeof NewExport>

const exportExample = {
  id: 'cmi8q2f5c000cn2m7y7z0a1bc',
  status: 'running' as const,
  resources: ['contacts', 'conversations', 'messages'] as const,
  createdAfter: null,
  includeFiles: false,
  createdAt: '2026-11-21T09:30:00.000Z',
  completedAt: null,
  problem: null,
}

const fileExample = {
  name: 'contacts.ndjson',
  rows: 3_120,
  bytes: 1_184_022,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  url: 'https://inbox.example.com/files/exports/cmi8q2f5c000cn2m7y7z0a1bc/contacts.ndjson?e=1795260600&s=…',
}

const completed = { ...exportExample, status: 'completed' as const, completedAt: '2026-11-21T09:30:41.000Z' }

const Export = Type.Object(
  {
    id: Id,
    status: StatusEnum,
    resources: Type.Array(ResourceEnum),
    createdAfter: nullable(Moment),
    includeFiles: Type.Boolean(),
    createdAt: Moment,
    completedAt: nullable(Moment),
    problem: nullable(Type.String({ description: 'Why it failed.' })),
  },
  { title: 'Export' },
)
export type Export = Static<typeof Export>

const ExportFile = Type.Object(
  {
    name: Type.String({ examples: ['messages.ndjson'] }),
    rows: Type.Integer({ minimum: 0 }),
    bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String({ description: 'Of the contents, hexadecimal.' }),
    url: Type.String({ description: 'Where to download it, without a token, for an hour.' }),
  },
  { title: 'ExportFile' },
)

export const ExportAnswer = Type.Object({ export: Export }, { examples: [{ export: exportExample }] })
export type ExportAnswer = Static<typeof ExportAnswer>

export const ExportDetails = Type.Object(
  {
    export: Export,
    files: Type.Array(ExportFile, { description: 'Empty until the export is completed.' }),
  },
  { examples: [{ export: completed, files: [fileExample] }] },
)
export type ExportDetails = Static<typeof ExportDetails>

export const ExportList = Type.Object(
  { exports: Type.Array(Export, { description: `The newest first, at most ${EXPORTS_LISTED_MAX}.` }) },
  { examples: [{ exports: [completed] }] },
)
export type ExportList = Static<typeof ExportList>

export const ExportDeleted = Type.Object(
  { success: Type.Literal(true) },
  { title: 'ExportDeleted', examples: [{ success: true }] },
)
export type ExportDeleted = Static<typeof ExportDeleted>

export const ExportParams = Type.Object({ exportId: Id })

const personExample = {
  id: 'cmi8q2f5c000cn2m7y7z0a1bd',
  contactId: 'cmi8q2f5c0002n2m7a1b3c5de',
  status: 'completed' as const,
  bytes: 48_128,
  url: 'https://inbox.example.com/files/exports/cmi8q2f5c000cn2m7y7z0a1bd/contact.tar?e=1795346200&s=…',
  createdAt: '2026-11-21T09:30:00.000Z',
  completedAt: '2026-11-21T09:30:02.000Z',
  expiresAt: '2026-11-22T09:30:02.000Z',
  problem: null,
}

export const PersonExportAnswer = Type.Object(
  {
    export: Type.Object(
      {
        id: Id,
        contactId: Id,
        status: StatusEnum,
        bytes: nullable(Type.Integer({ minimum: 0 })),
        url: nullable(
          Type.String({ description: 'Where to download the archive, without a token, until `expiresAt`.' }),
        ),
        createdAt: Moment,
        completedAt: nullable(Moment),
        expiresAt: nullable(Moment),
        problem: nullable(Type.String({ description: 'Why it failed.' })),
      },
      { title: 'ContactExport' },
    ),
  },
  { examples: [{ export: personExample }] },
)
export type PersonExportAnswer = Static<typeof PersonExportAnswer>

export const PersonExportParams = Type.Object({ contactId: Id, exportId: Id })
