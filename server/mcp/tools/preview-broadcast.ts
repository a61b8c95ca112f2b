import Type from 'typebox'
import { previewAudience } from '../../domain/broadcasts/preview-audience.ts'
import { hasScope, requireChannel } from '../../platform/ctx/scopes.ts'
import { findNamed } from '../tool/find-named.ts'
import { defineTool, given, NAME_LENGTH_MAX, READS } from '../tool/tool.ts'
import { listGroups } from './list-reference.ts'

export const previewBroadcast = defineTool({
  name: 'preview_broadcast',
  scopes: ['broadcasts:read'],
  hints: READS,
  description:
    'How many of a contact group would get a WhatsApp template, and why others would not. Sends nothing: a person sends broadcasts in the console.',
  input: given({
    group: Type.String({ maxLength: NAME_LENGTH_MAX, description: 'Name or id' }),
    template: Type.String({ minLength: 1, maxLength: 512 }),
    language: Type.Optional(Type.String({ maxLength: 20 })),
  }),
  output: Type.Object({
    total: Type.Integer(),
    reachable: Type.Integer(),
    leftOut: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() })),
    console: Type.String(),
  }),
  run: async (ctx, { group: wanted, template, language }) => {
    requireChannel(ctx.actor, 'whatsapp')
    const group = findNamed('group', wanted, await listGroups(ctx), hasScope(ctx.actor, 'groups:read'))
    const { total, reachable, leftOut } = await previewAudience(ctx, {
      audience: { type: 'group', groupId: group.id },
      templateName: template,
      ...(language !== undefined && { language }),
    })
    return {
      text: `${reachable} of ${total} would get it.`,
      data: { total, reachable, leftOut, console: `${ctx.publicUrl}/broadcasts` },
    }
  },
})
