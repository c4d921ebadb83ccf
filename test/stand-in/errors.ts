/**
 * The errors of Resend that the stand-in speaks, with the names and texts of the provider's page
 * "Errors" (resend.com/docs/api-reference/errors). Nothing here decides anything.
 */
export type ProviderError = {
  readonly statusCode: number;
  readonly name: string;
  readonly message: string;
};

export const MISSING_API_KEY: ProviderError = {
  statusCode: 401,
  name: "missing_api_key",
  message:
    "Missing API key in the authorization header. Include the following header " +
    "`Authorization: Bearer YOUR_API_KEY` in the request.",
};

export const INVALID_IDEMPOTENCY_KEY: ProviderError = {
  statusCode: 400,
  name: "invalid_idempotency_key",
  message: "Idempotency keys, if present, must have between 1 and 256 characters.",
};

export const INVALID_IDEMPOTENT_REQUEST: ProviderError = {
  statusCode: 409,
  name: "invalid_idempotent_request",
  message:
    "This idempotency key has been used with this HTTP method and endpoint within the last 24 " +
    "hours, but the request body was modified and doesn't match the original request.",
};

export const CONCURRENT_IDEMPOTENT_REQUESTS: ProviderError = {
  statusCode: 409,
  name: "concurrent_idempotent_requests",
  message: "There is another request in progress with the same idempotency key.",
};

export const DAILY_QUOTA_EXCEEDED: ProviderError = {
  statusCode: 429,
  name: "daily_quota_exceeded",
  message: "You have reached your daily email sending quota.",
};

export const MONTHLY_QUOTA_EXCEEDED: ProviderError = {
  statusCode: 429,
  name: "monthly_quota_exceeded",
  message: "You have reached your monthly email sending quota.",
};

export const APPLICATION_ERROR: ProviderError = {
  statusCode: 500,
  name: "application_error",
  message: "Internal server error. We are unable to process your request right now.",
};

export const NOT_FOUND: ProviderError = {
  statusCode: 404,
  name: "not_found",
  message: "The requested endpoint does not exist.",
};

export const EMAIL_NOT_FOUND: ProviderError = {
  statusCode: 404,
  name: "not_found",
  message: "Email not found",
};

export const METHOD_NOT_ALLOWED: ProviderError = {
  statusCode: 405,
  name: "method_not_allowed",
  message: "Method is not allowed for the requested path.",
};

export function rateLimitExceeded(requestsPerSecond: number): ProviderError {
  return {
    statusCode: 429,
    name: "rate_limit_exceeded",
    message:
      `Too many requests. You can only make ${requestsPerSecond} requests per second. See rate ` +
      "limit response headers for more information. Or contact support to increase rate limit.",
  };
}

export function validationError(message: string): ProviderError {
  return { statusCode: 422, name: "validation_error", message };
}

export function missingField(message: string): ProviderError {
  return { statusCode: 422, name: "missing_required_field", message };
}
