import type { ArchiveWriter } from '../archive-writer.ts'
import { isObject, type SourceRow } from '../read-row.ts'
import { type ChatwootApi, listOf } from './chatwoot-api.ts'

/** By Chatwoot's numbers: incoming, outgoing, activity, template. */
const SENDER_TYPES = ['customer', 'agent', 'system', 'automation'] as const

const FILE_TYPES = ['image', 'audio', 'video'] as const

type Place = {
  api: Pick<ChatwootApi, 'download'>
  writer: ArchiveWriter
  conversationId: string
  contactId: string
  onProblem: (problem: { message: string; problem: string }) => void
}

/** A private message becomes a note. Returns how many files were downloaded. */
export const writeMessage = async (
  { api, writer, conversationId, contactId, onProblem }: Place,
  message: SourceRow,
  createdAt: string,
): Promise<number> => {
  const id = String(message.id)
  const sender = isObject(message.sender) ? message.sender : {}
  const body = typeof message.content === 'string' ? message.content : ''
  if (message.private === true) {
    await writer.write('notes', {
      id,
      contactId,
      conversationId,
      authorId: String(sender.id),
      body,
      createdAt,
    })
    return 0
  }
  const type = SENDER_TYPES[Number(message.message_type)] ?? 'system'
  await writer.write('messages', {
    ...{ id, conversationId, body, createdAt },
    senderType: type === 'agent' && sender.type === 'agent_bot' ? 'automation' : type,
    senderId: String(sender.id),
    status: message.status,
    externalId: message.source_id ?? null,
    replyToMessageId: replyOf(message),
  })
  let files = 0
  for (const { id: number, file_type: kind, data_url: url } of listOf(message.attachments)) {
    if (typeof url !== 'string' || url === '') continue
    const fileId = `a${number}`
    const content = await api.download(url).catch((error: Error) => {
      onProblem({ message: id, problem: `an attachment can’t be downloaded: ${error.message}` })
      return null
    })
    await writer.write('attachments', {
      ...{ id: fileId, messageId: id, createdAt, size: content?.length ?? 0 },
      type: FILE_TYPES.find((one) => one === kind) ?? 'file',
      name: nameOf(url),
      ...(content && { path: `files/${fileId}` }),
    })
    if (!content) continue
    await writer.addFile(fileId, content)
    files++
  }
  return files
}

const replyOf = ({ content_attributes: attributes }: SourceRow): string | null =>
  isObject(attributes) && attributes.in_reply_to ? String(attributes.in_reply_to) : null

const nameOf = (url: string): string => {
  const name = url.split(/[?#]/, 1)[0]!.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
