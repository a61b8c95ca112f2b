import Type, { type Static } from 'typebox'
import { NICKNAME_MAX } from '../accounts/schema.ts'
import { Email, Id, Moment, Name, nullable } from '../schema.ts'

export const AgentParams = Type.Object({
  agentId: Type.String({ description: 'The id of an agent, or `ai` for the AI agent.', examples: ['ai'] }),
})

const MemberRole = Type.Enum(['agent', 'admin'], {
  description: 'An admin has full access. An agent sees and replies to their own conversations.',
})
export type MemberRole = Static<typeof MemberRole>

export const Agent = Type.Object(
  {
    id: Id,
    email: Type.String({ description: 'The sign-in email.' }),
    nickname: Type.String({ description: 'The display name, unique across the platform.' }),
    role: Type.Enum(['agent', 'admin', 'ai'], {
      description: 'The role in this workspace; `ai` for the AI agent.',
    }),
    isOnline: Type.Boolean({
      description: 'Whether they were seen within the last minute. The AI agent always is.',
    }),
    isAway: Type.Boolean({
      description: 'Whether they have set themselves to away. Teams then give them no conversations.',
    }),
    lastSeen: Type.Unsafe<string>({
      ...Moment,
      description: 'When they were last seen, or when they were added if they never signed in.',
    }),
    createdAt: Type.Unsafe<string>({
      ...Moment,
      description: 'When they were first added to the workspace.',
    }),
  },
  { title: 'Agent' },
)
export type Agent = Static<typeof Agent>

const jane: Agent = {
  id: 'cmi8q2f5c0000x7h2k9d3m1vb',
  email: 'jane@example.com',
  nickname: 'Jane',
  role: 'admin',
  isOnline: true,
  isAway: false,
  lastSeen: '2026-11-21T09:30:00.000Z',
  createdAt: '2026-11-02T14:05:12.000Z',
}

export const AgentAnswer = Type.Object(
  { agent: Agent },
  { title: 'AgentAnswer', examples: [{ agent: jane }] },
)
export type AgentAnswer = Static<typeof AgentAnswer>

export const AgentList = Type.Object(
  { agents: Type.Array(Agent) },
  {
    title: 'AgentList',
    examples: [
      {
        agents: [
          jane,
          {
            id: 'cfoyeraiagent000000000000',
            email: 'ai@agents.invalid',
            nickname: 'AI Agent',
            role: 'ai',
            isOnline: true,
            isAway: false,
            lastSeen: '2026-11-02T14:05:12.000Z',
            createdAt: '2026-11-02T14:05:12.000Z',
          },
        ],
      },
    ],
  },
)
export type AgentList = Static<typeof AgentList>

export const NewAgent = Type.Object(
  {
    email: Email({ description: 'Case-insensitive.' }),
    nickname: Type.Optional(
      Name(NICKNAME_MAX, {
        description:
          'The display name of a new account. Generated from the email if omitted. Existing accounts keep theirs.',
      }),
    ),
    role: Type.Optional(Type.Unsafe<MemberRole>({ ...MemberRole, default: 'agent' })),
  },
  { title: 'NewAgent', examples: [{ email: 'jane@example.com', nickname: 'Jane', role: 'agent' }] },
)
export type NewAgent = Static<typeof NewAgent>

export const AgentChange = Type.Object(
  {
    nickname: Type.Optional(
      Name(NICKNAME_MAX, { description: "Changes in all of the person's workspaces." }),
    ),
    role: Type.Optional(MemberRole),
  },
  {
    title: 'AgentChange',
    description: 'At least one of the two is required.',
    atLeastOneOf: ['nickname', 'role'],
    examples: [{ role: 'admin' }],
  },
)
export type AgentChange = Static<typeof AgentChange>

export const AgentRemoved = Type.Object(
  { success: Type.Literal(true) },
  { title: 'AgentRemoved', examples: [{ success: true }] },
)
export type AgentRemoved = Static<typeof AgentRemoved>

// Console -------------------------------------------------------------------------------------------------------------

export const Member = Type.Object(
  {
    ...Agent.properties,
    roleId: nullable(
      Type.String({ description: 'The permissions of an agent. Null for admins and the AI agent.' }),
    ),
    roleName: nullable(Type.String()),
    isManaged: Type.Boolean({ description: 'Managed by the platform: the AI agent.' }),
    removable: Type.Boolean({ description: 'False for the AI agent and the last admin.' }),
  },
  { title: 'Member' },
)
export type Member = Static<typeof Member>

export const MemberList = Type.Object({ members: Type.Array(Member) }, { title: 'MemberList' })
export const MemberAnswer = Type.Object({ member: Member }, { title: 'MemberAnswer' })

export const NicknameChange = Type.Object({ nickname: Name(NICKNAME_MAX) }, { title: 'NicknameChange' })

export const MemberRoleChange = Type.Object({ roleId: Id }, { title: 'MemberRoleChange' })

export const AiAgentState = Type.Object({ enabled: Type.Boolean() }, { title: 'AiAgentState' })
