// Written by gitvow. It asks gitvow before OpenCode runs a tool, and throws to stop it.
import { spawn } from "node:child_process";

const GITVOW = __GITVOW__;
const WITHOUT_GITVOW = __GITVOW_ON_MISSING__;
const LIMIT_MS = 30_000;

function launcher() {
  const home = process.env.HOME || process.env.USERPROFILE || "";
  return GITVOW.startsWith("$HOME/") ? home + GITVOW.slice("$HOME".length) : GITVOW;
}

// Runs `gitvow hook` and says what it answered: { code, reason, missing }. Never rejects.
function ask(event, payload) {
  return new Promise((resolve) => {
    let reason = "";
    let timer;
    const end = (answer) => {
      clearTimeout(timer);
      resolve(answer);
    };
    const failed = (why) => end({ code: -1, reason: why, missing: false });
    let child;
    try {
      child = spawn(launcher(), ["hook", "--agent", "opencode", event], {
        cwd: "/",
        stdio: ["pipe", "ignore", "pipe"],
        windowsHide: true,
      });
      timer = setTimeout(() => {
        child.kill("SIGKILL");
        failed(`no answer within ${LIMIT_MS / 1000} s`);
      }, LIMIT_MS);
      child.on("error", (e) => end({ code: -1, reason: e.message, missing: e.code === "ENOENT" }));
      child.on("close", (code, signal) =>
        code === null ? failed(`ended by ${signal}`) : end({ code, reason, missing: false }),
      );
      child.stdin.on("error", () => {});
      child.stderr.setEncoding("utf8");
      child.stderr.on("data", (text) => {
        if (reason.length < 65536) reason += text;
      });
      child.stdin.end(JSON.stringify({ ...payload, hook_event_name: event }));
    } catch (e) {
      failed(String(e));
    }
  });
}

// One gate: returns when the tool may run, throws when it may not.
async function gate(payload) {
  const answer = await ask("PreToolUse", payload);
  if (answer.code === 0) return;
  if (answer.missing && WITHOUT_GITVOW === "allow") return;
  const reason = answer.reason.trim();
  if (answer.code === 2) throw new Error(reason || "BLOCKED by gitvow");
  throw new Error(`BLOCKED: gitvow could not be asked (${launcher()}: ${reason || `exit ${answer.code}`})`);
}

export const Gitvow = async ({ directory }) => {
  const base = (sessionID) => ({ session_id: sessionID ?? "", cwd: directory ?? process.cwd() });
  return {
    "tool.execute.before": (input, output) =>
      gate({
        ...base(input.sessionID),
        tool_name: input.tool,
        tool_input: output?.args ?? {},
        tool_use_id: input.callID,
      }),
    "tool.execute.after": async (input) => {
      await ask("PostToolUse", {
        ...base(input.sessionID),
        tool_name: input.tool,
        tool_input: input.args ?? {},
        tool_use_id: input.callID,
      });
    },
    "chat.message": async (input, output) => {
      const texts = (output?.parts ?? []).filter((part) => part.type === "text");
      await ask("UserPromptSubmit", {
        ...base(input.sessionID),
        prompt: texts.map((part) => part.text).join("\n"),
      });
    },
    event: async ({ event }) => {
      const about = event.properties ?? {};
      if (event.type === "session.created") {
        await ask("SessionStart", { ...base(about.info?.id ?? about.sessionID), source: "startup" });
      } else if (event.type === "session.idle") {
        await ask("Stop", base(about.sessionID));
      }
    },
  };
};
