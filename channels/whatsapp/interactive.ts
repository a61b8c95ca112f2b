// A question with reply buttons or a list, as an interactive message.
// https://developers.facebook.com/docs/whatsapp/cloud-api/messages/interactive-reply-buttons-messages
import { layChoices } from '../choices.ts'
import type { OutboundChoices } from '../contract/channel.ts'
import type { JsonObject } from '../protocol/read-json.ts'
import { whatsapp } from './definition.ts'

/** The `interactive` object of a message; undefined if the options don't fit and are sent as text. */
export const interactiveOf = ({ more, ...choices }: OutboundChoices): JsonObject | undefined => {
  const layout = layChoices(whatsapp.choices, { ...choices, more: more.title })
  if (layout.as === 'text') return undefined
  const body = { text: layout.text }
  if (layout.as === 'buttons') {
    const buttons = layout.options.map(({ id, title }) => ({ type: 'reply', reply: { id, title } }))
    return { type: 'button', body, action: { buttons } }
  }
  const { label, options, moreFrom } = layout
  const rows: object[] = options.map(({ id, title, description }) => ({
    id,
    title,
    ...(description && { description }),
  }))
  if (moreFrom !== null) rows.push({ id: more.idFrom(moreFrom), title: more.title })
  return { type: 'list', body, action: { button: label, sections: [{ rows }] } }
}
