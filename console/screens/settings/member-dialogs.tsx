import { useMutation } from '@tanstack/react-query'
import { useSession } from '../../state/session.tsx'
import type { Agent, Member, Role } from '../../state/types.ts'
import { Banner } from '../../ui/banner.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { toast } from '../../ui/toast.tsx'
import { rich, t } from '../../words/t.ts'
import { useSetting, useSettingsChanged } from './use-setting.ts'

/** The options of the role list: `admin`, or the id of an agent role. */
const ADMIN = 'admin'

const RoleSelect = ({ roles = [], value }: { roles: Role[] | undefined; value: string }) => (
  <Select
    label={t`Role`}
    name="role"
    defaultValue={value}
    hint={t`Permissions are set under “Roles”.`}
    options={[
      { value: ADMIN, label: t`Admin (full access)` },
      ...roles.map(({ id, name, isDefault }) => ({
        value: id,
        label: isDefault ? t`${name} (default)` : name,
      })),
    ]}
  />
)

const useRoles = () => useSetting<{ roles: Role[] }>('roles', '/roles').data?.roles

/** New agents get the default role; any other role is assigned afterwards. */
const useGiveRole = () => {
  const { api } = useSession()
  return async (
    memberId: string,
    role: string,
    before: { role: string; roleId: string | null },
  ): Promise<void> => {
    const wanted = role === ADMIN ? 'admin' : 'agent'
    if (wanted !== before.role) await api.patch(`/agents/${memberId}`, { role: wanted })
    if (role !== ADMIN && role !== before.roleId)
      await api.patch(`/members/${memberId}/role`, { roleId: role })
  }
}

export const AddMember = ({ onClose }: { onClose: () => void }) => {
  const { api } = useSession()
  const roles = useRoles()
  const changed = useSettingsChanged()
  const giveRole = useGiveRole()
  const defaultId = roles?.find(({ isDefault }) => isDefault)?.id ?? ''
  const add = useMutation({
    mutationFn: async ({ email = '', nickname = '', role = '' }: Record<string, string>) => {
      const { agent } = await api.post<{ agent: Agent }>('/agents', {
        email: email.trim(),
        ...(nickname.trim() && { nickname: nickname.trim() }),
        role: role === ADMIN ? 'admin' : 'agent',
      })
      const before = { role: agent.role, roleId: agent.role === 'agent' ? defaultId : null }
      // They are already a member, so submitting the form again would not help.
      const problem = await giveRole(agent.id, role, before).then(
        () => null,
        (error: Error) => error.message,
      )
      return { agent, problem }
    },
    onSuccess: async ({ agent, problem }) => {
      await changed()
      if (problem) toast(t`${agent.nickname} was added with the default role: ${problem}`, { tone: 'danger' })
      else toast(t`${agent.nickname} was added`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={t`Add member`}
      about={t`They sign in here with a code sent to their email. No invitation is sent, so let them know.`}
      submitLabel={t`Add`}
      save={add}
      isLoading={!roles}
      fieldOf={{ AGENT_ALREADY_MEMBER: 'email', AGENT_MANAGED: 'email', NICKNAME_TAKEN: 'nickname' }}
      onSubmit={add.mutate}
      onClose={onClose}
    >
      <TextField label={t`Email`} name="email" type="email" maxLength={254} autoFocus autoComplete="off" />
      <TextField
        label={t`Display name (optional)`}
        name="nickname"
        maxLength={60}
        autoComplete="off"
        hint={t`Shown to your team and customers. Existing accounts keep their name.`}
      />
      <RoleSelect roles={roles} value={defaultId} />
    </FormDialog>
  )
}

export const EditMember = ({ member, onClose }: { member: Member; onClose: () => void }) => {
  const { api, session } = useSession()
  const roles = useRoles()
  const changed = useSettingsChanged()
  const giveRole = useGiveRole()
  const isSelf = member.id === session.account.id
  const save = useMutation({
    mutationFn: async ({ nickname = '', role = '' }: Record<string, string>) => {
      // The name goes first: it can be refused for reasons that can't be checked here.
      if (nickname.trim() !== member.nickname)
        await api.patch(`/agents/${member.id}`, { nickname: nickname.trim() })
      await giveRole(member.id, role, member)
    },
    onSuccess: async () => {
      toast(t`Saved`)
      onClose()
    },
    // Also after an error: the name may be saved although the role is not.
    onSettled: () => changed(),
  })
  return (
    <FormDialog
      title={member.nickname}
      about={<bdi>{member.email}</bdi>}
      save={save}
      isLoading={!roles}
      fieldOf={{ LAST_ADMIN: 'role', NICKNAME_TAKEN: 'nickname' }}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      <TextField
        label={t`Display name`}
        name="nickname"
        defaultValue={member.nickname}
        maxLength={60}
        autoFocus
        autoComplete="off"
        hint={t`Changes in all of their workspaces.`}
      />
      <RoleSelect roles={roles} value={member.role === 'admin' ? ADMIN : (member.roleId ?? '')} />
      {isSelf && (
        <Banner tone="warn">
          {t`This is your own account. If you give up admin access, only another admin can restore it.`}
        </Banner>
      )}
    </FormDialog>
  )
}

export const RemoveMember = ({ member, onClose }: { member: Member; onClose: () => void }) => {
  const { api, session } = useSession()
  const changed = useSettingsChanged()
  const isSelf = member.id === session.account.id
  return (
    <ConfirmDialog
      title={isSelf ? t`Leave workspace?` : t`Remove ${member.nickname}?`}
      about={
        isSelf
          ? t`You lose access immediately, and open conversations assigned to you become unassigned. Messages you wrote are kept.`
          : rich`${<bdi>{member.nickname}</bdi>} loses access immediately, and open conversations assigned to them become unassigned. Messages they wrote are kept.`
      }
      confirmLabel={isSelf ? t`Leave` : t`Remove`}
      isDanger
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`/agents/${member.id}`)
        toast(isSelf ? t`You left the workspace` : t`${member.nickname} was removed`)
        await changed().catch(() => {})
      }}
    />
  )
}

export const SignOutMember = ({ member, onClose }: { member: Member; onClose: () => void }) => {
  const { api } = useSession()
  return (
    <ConfirmDialog
      title={t`Sign out ${member.nickname}?`}
      about={t`All their sign-ins to this workspace end immediately, in every browser. They can sign in again. Other workspaces they belong to stay open to them.`}
      confirmLabel={t`Sign out`}
      isDanger
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await api.post(`/members/${member.id}/sign-out`)
        toast(t`${member.nickname} was signed out`)
      }}
    />
  )
}
