import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { addAgent } from './add-agent.ts'
import { getAgent, listAgents } from './queries.ts'
import { removeAgent } from './remove-agent.ts'
import { AgentAnswer, AgentChange, AgentList, AgentParams, AgentRemoved, NewAgent } from './schema.ts'
import { updateAgent } from './update-agent.ts'

export const registerAgents = (app: App): void => {
  app.get(
    '/agents',
    {
      schema: {
        operationId: 'listAgents',
        tags: ['Agents'],
        summary: 'List the agents',
        description:
          'All who answer in the workspace, in the order they were added; the AI agent comes last when it is switched on.',
        response: { 200: AgentList },
      },
    },
    async (request) => ({ agents: await listAgents(request.ctx) }),
  )

  app.post(
    '/agents',
    {
      config: { budget: 'change', permission: 'admin' },
      schema: {
        operationId: 'addAgent',
        tags: ['Agents'],
        summary: 'Add an agent',
        description:
          'Gives the owner of an email access to the workspace, and makes an account when the email has none. Nobody is written to: the person signs in with a one-time code that is sent to the email. Somebody who was removed gets their access, and their id, back.',
        body: NewAgent,
        response: {
          200: AgentAnswer,
          ...errors('AGENT_ALREADY_MEMBER', 'NICKNAME_TAKEN', 'AGENT_MANAGED'),
        },
      },
    },
    (request) => addAgent(request.ctx, request.body),
  )

  app.get(
    '/agents/:agentId',
    {
      schema: {
        operationId: 'getAgent',
        tags: ['Agents'],
        summary: 'Get an agent',
        description: 'One active agent of the workspace, the AI agent included.',
        params: AgentParams,
        response: { 200: AgentAnswer, ...errors('AGENT_NOT_FOUND') },
      },
    },
    async (request) => ({ agent: await getAgent(request.ctx, request.params.agentId) }),
  )

  app.patch(
    '/agents/:agentId',
    {
      config: { budget: 'change', permission: 'admin' },
      schema: {
        operationId: 'updateAgent',
        tags: ['Agents'],
        summary: 'Change an agent',
        description:
          'Changes the role, which counts in this workspace, or the nickname, which is the same in all of them, or both. When one of the two is refused, neither changes. There is always an admin left.',
        params: AgentParams,
        body: AgentChange,
        response: {
          200: AgentAnswer,
          ...errors('AGENT_NOT_FOUND', 'AGENT_MANAGED', 'LAST_ADMIN', 'NICKNAME_TAKEN'),
        },
      },
    },
    (request) => updateAgent(request.ctx, { ...request.body, agentId: request.params.agentId }),
  )

  app.delete(
    '/agents/:agentId',
    {
      config: { budget: 'change', permission: 'admin' },
      schema: {
        operationId: 'removeAgent',
        tags: ['Agents'],
        summary: 'Remove an agent',
        description:
          "Ends the person's access to this workspace and leaves their open conversations unassigned. The account and everything they wrote stay; adding the same email again restores them.",
        params: AgentParams,
        response: { 200: AgentRemoved, ...errors('AGENT_NOT_FOUND', 'AGENT_MANAGED', 'LAST_ADMIN') },
      },
    },
    (request) => removeAgent(request.ctx, request.params.agentId),
  )
}
