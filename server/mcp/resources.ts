// What can be read by its address, for clients in which a person picks what the model sees: the same as by the tools.
import type { Tool } from './tool/tool.ts'
import { readContact } from './tools/read-contact.ts'
import { readConversation } from './tools/read-conversation.ts'

type ReadableResource = {
  name: string
  /** With {id}. */
  uri: string
  description: string
  tool: Tool
  inputOf: (id: string) => Record<string, unknown>
}

export const RESOURCES: readonly ReadableResource[] = [
  {
    name: 'conversation',
    uri: 'foyer://conversations/{id}',
    description: 'A conversation with its newest messages and notes.',
    tool: readConversation,
    inputOf: (id) => ({ conversationId: id }),
  },
  {
    name: 'contact',
    uri: 'foyer://contacts/{id}',
    description: 'A contact with fields, tags, notes and conversations.',
    tool: readContact,
    inputOf: (id) => ({ contactId: id }),
  },
]
