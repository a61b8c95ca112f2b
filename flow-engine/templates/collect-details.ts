import type { FlowTemplate } from './template.ts'

export const COLLECT_DETAILS: FlowTemplate = {
  id: 'collect-details',
  name: 'Collect details first',
  about: 'Asks for name, email and order number, skips what you know, and hands over with the answers.',
  needs: [],
  beforePublishing: ['Nothing: it works as it is.'],
  definition: {
    schema: 1,
    kind: 'dialog',
    language: 'en',
    triggers: [{ on: 'message', isFirst: true, channels: ['web', 'whatsapp', 'facebook', 'telegram'] }],
    reentry: { after: 'P1D' },
    variables: { hasOrder: { type: 'yesno', default: false } },
    start: 'details',
    blocks: {
      details: {
        title: 'Who is writing',
        steps: [
          {
            id: 's1',
            type: 'send',
            text: {
              en: 'Thanks for getting in touch! A few quick questions, so that the right person can help you straight away.',
              de: 'Schön, dass Sie uns schreiben! Ein paar kurze Fragen, damit Ihnen gleich die richtige Person weiterhelfen kann.',
              es: '¡Gracias por escribirnos! Unas preguntas rápidas para que le atienda enseguida la persona adecuada.',
              pt: 'Obrigado por escrever! Só algumas perguntas rápidas para que a pessoa certa atenda você logo.',
              fr: 'Merci de nous écrire ! Quelques questions rapides pour que la bonne personne vous aide tout de suite.',
            },
          },
          {
            id: 's2',
            type: 'ask',
            answer: 'text',
            text: {
              en: 'What’s your name?',
              de: 'Wie ist Ihr Name?',
              es: '¿Cómo se llama?',
              pt: 'Qual é o seu nome?',
              fr: 'Quel est votre nom ?',
            },
            store: 'contact.name',
            skipIf: { value: 'contact.firstName', op: 'isSet' },
            retry: { times: 1, then: 'team' },
            timeout: { after: 'PT2H', then: 'end' },
          },
          {
            id: 's3',
            type: 'ask',
            answer: 'email',
            text: {
              en: 'And your email address?',
              de: 'Und Ihre E-Mail-Adresse?',
              es: '¿Y su correo electrónico?',
              pt: 'E o seu e-mail?',
              fr: 'Et votre adresse e-mail ?',
            },
            store: 'contact.email',
            skipIf: { value: 'contact.email', op: 'isSet' },
            retry: {
              times: 1,
              text: {
                en: 'That doesn’t look like an email address. Could you check it? It should be like name@example.com.',
                de: 'Das sieht nicht nach einer E-Mail-Adresse aus. Prüfen Sie sie bitte noch einmal, z. B. name@example.com.',
                es: 'Eso no parece una dirección de correo. ¿Puede revisarla? Debe ser como nombre@example.com.',
                pt: 'Isso não parece um e-mail. Você pode conferir? Deve ser como nome@example.com.',
                fr: 'Cela ne ressemble pas à une adresse e-mail. Pouvez-vous la vérifier ? Par exemple : nom@example.com.',
              },
              then: 'order',
            },
            timeout: { after: 'PT2H', then: 'end' },
          },
        ],
        next: 'order',
      },
      order: {
        title: 'Order',
        steps: [
          {
            id: 's4',
            type: 'ask',
            answer: 'yesno',
            text: {
              en: 'Is it about an order?',
              de: 'Geht es um eine Bestellung?',
              es: '¿Se trata de un pedido?',
              pt: 'É sobre um pedido?',
              fr: 'S’agit-il d’une commande ?',
            },
            store: 'run.hasOrder',
            retry: { times: 0, then: 'team' },
            timeout: { after: 'PT2H', then: 'end' },
          },
          {
            id: 's5',
            type: 'ask',
            answer: 'text',
            text: {
              en: 'What’s the order number?',
              de: 'Wie lautet die Bestellnummer?',
              es: '¿Cuál es el número de pedido?',
              pt: 'Qual é o número do pedido?',
              fr: 'Quel est le numéro de commande ?',
            },
            store: 'contact.fields.order',
            skipIf: { value: 'run.hasOrder', op: 'isNot', to: true },
            retry: { times: 1, then: 'team' },
            timeout: { after: 'PT2H', then: 'end' },
          },
        ],
        next: 'team',
      },
      team: {
        title: 'Over to the team',
        steps: [
          {
            id: 's6',
            type: 'people',
            text: {
              en: 'Thanks, that’s all we need. A teammate will take it from here.',
              de: 'Danke, das ist alles, was wir brauchen. Jetzt kümmert sich jemand aus dem Team um Sie.',
              es: 'Gracias, es todo lo que necesitamos. Enseguida le atiende alguien del equipo.',
              pt: 'Obrigado, é tudo de que precisamos. Alguém da equipe já vai atender você.',
              fr: 'Merci, c’est tout ce qu’il nous faut. Une personne de l’équipe prend le relais.',
            },
            summary: 'answers',
          },
        ],
      },
    },
  },
  tests: [
    {
      name: 'A new visitor is asked for everything',
      channel: 'web',
      language: 'en',
      contact: { name: '', email: '' },
      turns: [
        { say: 'Hi, something is wrong with my delivery' },
        { expect: { text: 'What’s your name?', waits: 's2' } },
        { say: 'Maria Silva' },
        { say: 'maria at example' },
        { expect: { text: 'doesn’t look like an email address', waits: 's3' } },
        { say: 'maria@example.org' },
        { expect: { choices: ['yes', 'no'], waits: 's4' } },
        { tap: 'yes' },
        { say: 'AB-12345' },
        {
          expect: {
            ended: 'completed',
            handedOver: true,
            set: {
              'contact.name': 'Maria Silva',
              'contact.email': 'maria@example.org',
              'contact.fields.order': 'AB-12345',
            },
          },
        },
      ],
    },
    {
      name: 'What is known is not asked again',
      channel: 'telegram',
      language: 'pt',
      contact: { name: 'João Costa', email: 'joao@example.org' },
      turns: [
        { say: 'Olá' },
        {
          expect: {
            text: 'É sobre um pedido?',
            waits: 's4',
            never: ['Qual é o seu nome?', 'E o seu e-mail?'],
          },
        },
        { say: 'não' },
        { expect: { text: 'Alguém da equipe', handedOver: true, never: ['número do pedido'] } },
      ],
    },
  ],
}
